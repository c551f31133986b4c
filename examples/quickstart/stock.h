/* A tiny stock keeping program: a list of items, and a parser for lines like "apples=12". */
#ifndef STOCK_H
#define STOCK_H

#define NAME_SIZE 16

struct item {
    char name[NAME_SIZE];
    int count;
    struct item *next;
};

/* stock.c */
struct item *stock_add(struct item *list, const char *name, int count);
struct item *stock_find(struct item *list, const char *name);
int stock_total(const struct item *list);
void stock_free(struct item *list);

/* parse.c */
int parse_line(const char *line, char *name, int *count);

#endif
