#!/usr/bin/env bash
# Fetches and builds real programs, as Debian source packages, for the benchmarks and tests:
#
#   bench/programs.sh sqlite3 zlib …       into $RIGEL_PROGRAMS, or ~/.cache/rigel/programs
#
# Each program ends up in a directory of its own with a compile_commands.json that `rigel build`
# recorded. Sources come through apt, in a private apt configuration: the system's is not changed
# (packages that a build needs are installed, and named). Nothing here belongs in the repository.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=${RIGEL_PROGRAMS:-$HOME/.cache/rigel/programs}
rigel=${RIGEL:-$here/../target/release/rigel}
jobs=${JOBS:-$(nproc)}
apt=$root/.apt
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

say() { printf 'programs: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

install() {
  local wanted=() package
  for package in "$@"; do
    dpkg -s "$package" >/dev/null 2>&1 || wanted+=("$package")
  done
  [ ${#wanted[@]} = 0 ] && return
  [ "$(id -u)" = 0 ] || die "missing packages; as root, run: apt-get install ${wanted[*]}"
  say "installing ${wanted[*]} (apt-get)"
  apt-get install -y --no-install-recommends "${wanted[@]}" >"$root/install.log" 2>&1 ||
    { apt-get update >>"$root/install.log" 2>&1 &&
      apt-get install -y --no-install-recommends "${wanted[@]}" >>"$root/install.log" 2>&1; } ||
    die "could not install ${wanted[*]}: see $root/install.log"
}

# apt with deb-src entries made from the system's own, for two more suites of the same archive
# (some packages are only in the newest one), and with lists of its own.
private_apt() {
  apt-get -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root "$@"
}

prepare_apt() {
  [ -e "$apt/ready" ] && return
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  local system key options= site release
  system=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' | sort -u)
  [ -n "$system" ] || die "apt has no package lists: run apt-get update as root"
  for key in /usr/share/keyrings/{debian,ubuntu}-archive-keyring.gpg; do
    [ -e "$key" ] && options="[signed-by=$key] "
  done
  while read -r site release; do
    echo "deb-src $options$site $release main"
  done <<<"$system" >"$apt/sources.list"
  # Old packages such as libjpeg6b are only in the newest suite.
  read -r site release <<<"$(grep -v security <<<"$system" | head -n 1)"
  echo "deb-src $options$site sid main" >>"$apt/sources.list"
  private_apt update >"$apt/update.log" 2>&1 || die "apt-get update failed: see $apt/update.log"
  touch "$apt/ready"
}

# The version that figures were measured with (bench/versions), if the archive still has it; else another, and it is said.
pinned() { sed -n "s/^$1 //p" "$here/versions"; }

# The first version whose files the archive still has (an index may name one that is gone).
fetch() { # directory, source package
  local dir=$1 package=$2 version
  [ -d "$dir" ] && return
  prepare_apt
  install dpkg-dev quilt patchutils
  mkdir -p "$root/.packages"
  if [ "$package" = libjpeg6b ]; then
    # Its .dsc may be gone while the upstream tarball, which the signed index covers, is there.
    (cd "$root/.packages" && private_apt source --download-only "$package" >"$root/$package.log" 2>&1) || true
    mkdir -p "$dir"
    tar xf "$root"/.packages/libjpeg6b_6b2.orig.tar.gz -C "$dir" --strip-components=1
    return
  fi
  for version in $(pinned "$package") $(apt_versions "$package"); do
    if (cd "$root/.packages" && private_apt source --download-only "$package=$version" >"$root/$package.log" 2>&1); then
      local patches=
      # Debian's Makefile of lua wants libtool.
      [ "$package" = lua5.4 ] && patches=--skip-patches
      dpkg-source --no-check $patches -x "$root"/.packages/"$package"_*.dsc "$dir" >>"$root/$package.log" 2>&1
      echo "$package $version" >"$dir/.version"
      [ "$version" = "$(pinned "$package")" ] ||
        say "$package: $version, not the pinned $(pinned "$package"): counts will differ"
      return
    fi
    rm -f "$root"/.packages/"$package"_*.dsc
  done
  die "no source of $package can be had: see $root/$package.log"
}

apt_versions() {
  # The system's own release first: it is the one that all machines of a kind share.
  apt-cache -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" showsrc "$1" 2>/dev/null |
    sed -n 's/^Version: //p' | sort -uV
}

record() { "$rigel" build --only-record -- "$@"; }
configure() { CC=clang-19 CXX=clang++-19 CFLAGS=-O0 CXXFLAGS=-O0 ./configure "$@"; }
with_cmake() {
  install cmake
  cmake -S . -B _build -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
    -DCMAKE_BUILD_TYPE= -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DBUILD_TESTING=OFF "$@"
  cp _build/compile_commands.json .
}

build() { # in the program's directory
  case $1 in
    sqlite3)
      install tclsh
      configure --disable-tcl --disable-shared --disable-readline
      make sqlite3.c shell.c
      record make -j"$jobs" sqlite3 ;;
    zlib) configure --static; record make -j"$jobs" ;;
    lua) record make -C src -j"$jobs" linux CC="clang-19 -std=gnu99" MYCFLAGS=-O0 ;;
    jpeg-6b) cp /usr/share/misc/config.{guess,sub} .; configure --disable-shared; record make -j"$jobs" ;;
    libxml2)
      install autoconf automake libtool pkg-config
      autoreconf -fi
      configure --disable-shared --without-python --without-lzma --without-zlib --without-icu --without-iconv
      record make -j"$jobs" ;;
    libxslt)
      # Against the libxml2 beside it (fetched and built before it, see below).
      install autoconf automake libtool pkg-config
      autoreconf -fi
      configure --disable-shared --without-python --without-crypto --without-plugins --with-libxml-src=../libxml2
      record make -j"$jobs" ;;
    sendmail)
      install m4 libdb-dev
      printf '%s\n' "define(\`confCC', \`clang-19')" "define(\`confOPTIMIZE', \`-O0')" \
        "define(\`confMAPDEF', \`-DNEWDB')" "define(\`confENVDEF', \`-DHASFLOCK=1')" \
        "define(\`confLIBS', \`-ldb -lresolv -lcrypt')" >devtools/Site/site.config.m4
      record sh -c 'for d in libsm libsmutil libsmdb libmilter sendmail editmap mail.local mailstats makemap praliases rmail smrsh vacation; do (cd $d && sh ./Build) || exit; done' ;;
    spin)
      install bison
      record make -C Src -j"$jobs" CC=clang-19 YACC="bison -y" \
        CFLAGS="-O0 -DNXT -std=c99 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L" ;;
    redis) record make -j"$jobs" MALLOC=libc CC=clang-19 OPTIMIZATION=-O0 ;;
    nginx)
      ./configure --with-cc=clang-19 --with-cc-opt="-O0 -Wno-error" --without-http_rewrite_module --without-http_gzip_module \
        --without-pcre --with-http_v2_module --with-http_mp4_module --with-mail --with-stream
      record make -j"$jobs" ;;
    curl)
      configure --disable-shared --without-ssl --without-libpsl --without-brotli --without-zstd --without-zlib --without-nghttp2 \
        --disable-ldap --without-librtmp --without-libidn2
      record make -j"$jobs" ;;
    emacs)
      install autoconf automake texinfo libncurses-dev
      [ -x configure ] || ./autogen.sh autoconf
      configure --without-all --without-x --without-ns --with-gnutls=no --with-native-compilation=no --disable-build-details
      record sh -c "make -j$jobs -C lib && make -j$jobs -C lib-src && make -j$jobs -C src temacs" ;;
    leveldb) with_cmake -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF ;;
    jsoncpp) with_cmake -DJSONCPP_WITH_TESTS=OFF ;;
    tinyxml2) with_cmake -Dtinyxml2_BUILD_TESTING=OFF ;;
    re2) record make -j"$jobs" REBUILD_TABLES=1 CXX=clang++-19 CXXFLAGS="-O0 -std=c++11 -pthread -I." obj/libre2.a ;;
    *) die "unknown program $1" ;;
  esac
}

[ $# -gt 0 ] || die "usage: bench/programs.sh PROGRAM…"
[ -x "$rigel" ] || die "$rigel is missing: build it first (./x bench does)"
rigel=$(readlink -f "$rigel")
mkdir -p "$root"
install make clang-19
for program in "$@"; do
  [ "$program" = libxslt ] && set -- libxml2 "$@" && break
done
for program in "$@"; do
  dir=$root/$program
  [ -s "$dir/compile_commands.json" ] && continue
  case $program in
    lua) package=lua5.4 ;;
    jpeg-6b) package=libjpeg6b ;;
    jsoncpp) package=libjsoncpp ;;
    *) package=$program ;;
  esac
  say "$program: fetching the source"
  fetch "$dir" "$package"
  say "$program: building"
  if ! (cd "$dir" && set -e && build "$program") >"$root/$program.build.log" 2>&1; then
    die "$program did not build: see $root/$program.build.log"
  fi
  # `rigel build` writes below .rigel/.
  [ -s "$dir/compile_commands.json" ] || cp "$dir/.rigel/compile_commands.json" "$dir/"
done
