#include "stock.h"

#include <stdlib.h>
#include <string.h>

struct item *stock_add(struct item *list, const char *name, int count)
{
    struct item *item = malloc(sizeof *item);
    if (item == NULL)
        return list;
    strncpy(item->name, name, NAME_SIZE - 1);
    item->name[NAME_SIZE - 1] = '\0';
    item->count = count;
    item->next = list;
    return item;
}

/* The item of that name, or NULL. */
struct item *stock_find(struct item *list, const char *name)
{
    for (; list != NULL; list = list->next)
        if (strcmp(list->name, name) == 0)
            return list;
    return NULL;
}

int stock_total(const struct item *list)
{
    int total = 0;
    for (; list != NULL; list = list->next)
        total += list->count;
    return total;
}

void stock_free(struct item *list)
{
    while (list != NULL) {
        struct item *next = list->next;
        free(list);
        list = next;
    }
}
