#include "stock.h"

#include <stdio.h>

static const char *const delivery[] = {"apples=12", "pears=7", "plums=30"};
static const char *const orders[] = {"pears=2", "cherries=5"};

static void take(struct item *stock, const char *name, int count)
{
    struct item *item = stock_find(stock, name);
    item->count -= count; /* nobody asked whether there is such an item */
}

int main(void)
{
    struct item *stock = NULL;
    char name[NAME_SIZE];
    int count;

    for (unsigned i = 0; i < sizeof delivery / sizeof *delivery; i++)
        if (parse_line(delivery[i], name, &count))
            stock = stock_add(stock, name, count);
    printf("in stock: %d\n", stock_total(stock));

    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++)
        if (parse_line(orders[i], name, &count))
            take(stock, name, count);
    printf("left: %d\n", stock_total(stock));

    stock_free(stock);
    return 0;
}
