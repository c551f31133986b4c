//! Which arguments the C library follows: a null there is followed by the library, which is no
//! better than following it oneself (C11 7.1.4, 7.24.1).
//!
//! Only functions that take no size for what they follow; with a size of 0 many are called with
//! null, and no implementation minds.

/// The positions of the arguments that a library function of this linkage name follows whatever the
/// others are.
pub fn followed(name: &str) -> &'static [usize] {
    match name {
        "strlen" | "strdup" | "__strdup" | "atoi" | "atol" | "atoll" | "atof" | "strtol"
        | "strtoll" | "strtoul" | "strtoull" | "strtod" | "__isoc23_strtol"
        | "__isoc23_strtoll" | "__isoc23_strtoul" | "__isoc23_strtoull" | "puts" | "getenv"
        | "opendir" | "unlink" | "rmdir" | "chdir" | "fclose" | "feof" | "ferror" | "fgetc"
        | "getc" | "rewind" | "ftell" | "fseek" | "fileno" | "clearerr" | "readdir"
        | "closedir" | "pclose" | "printf" | "scanf" | "wcslen" | "asctime" => &[0],
        "strcpy" | "stpcpy" | "strcat" | "strcmp" | "strcoll" | "strcasecmp" | "strspn"
        | "strcspn" | "strpbrk" | "strstr" | "strcasestr" | "fopen" | "fopen64" | "popen"
        | "rename" | "link" | "symlink" | "fputs" | "fprintf" | "vfprintf" | "sscanf"
        | "__isoc99_sscanf" | "__isoc23_sscanf" | "fscanf" | "__isoc99_fscanf"
        | "__isoc23_fscanf" | "sprintf" | "vsprintf" => &[0, 1],
        "strchr" | "strrchr" | "index" | "rindex" | "strncat" => &[0],
        "fputc" | "putc" | "ungetc" => &[1],
        "fgets" => &[0, 2],
        "fread" | "fwrite" => &[3],
        _ => &[],
    }
}

/// Does a library function of this linkage name nothing but give what follows from its arguments and what they point to?
pub fn only_computes(name: &str) -> bool {
    matches!(
        name,
        "strlen"
            | "strnlen"
            | "strcmp"
            | "strncmp"
            | "strcasecmp"
            | "strncasecmp"
            | "strcoll"
            | "strchr"
            | "strrchr"
            | "index"
            | "rindex"
            | "strstr"
            | "strcasestr"
            | "strspn"
            | "strcspn"
            | "strpbrk"
            | "memcmp"
            | "bcmp"
            | "memchr"
            | "memrchr"
            | "memmem"
            | "wcslen"
            | "wcscmp"
            | "abs"
            | "labs"
            | "llabs"
            | "atoi"
            | "atol"
            | "atoll"
            | "isalpha"
            | "isalnum"
            | "isdigit"
            | "isxdigit"
            | "isspace"
            | "isblank"
            | "ispunct"
            | "isprint"
            | "isgraph"
            | "iscntrl"
            | "isupper"
            | "islower"
            | "toupper"
            | "tolower"
            | "__ctype_b_loc"
            | "__ctype_tolower_loc"
            | "__ctype_toupper_loc"
    )
}
