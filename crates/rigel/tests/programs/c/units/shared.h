struct big { long n[5]; };

extern int shared_total;
extern const char *names[];
extern int (*const table[])(int);
int other_next(void);
int overridden(void);
int use_overridden(void);
int use_default(void);
void add(int n);
struct big make_big(long n);
int other_inlined(int n);
static inline int inlined(int n) { return n * 2; }
