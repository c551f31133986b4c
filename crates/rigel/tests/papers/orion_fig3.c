int f(int i)
{
  int r, a, *p = &a;
  int m = 1;

  if (i<2)
    r = m*i;
  else
    m++;
  a = m*(i+1);
  if (*p>=6)
    r = m*6;
  return r;
}
