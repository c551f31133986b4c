//! What the C++ containers call in libstdc++: red-black trees, list nodes, hash functions and the
//! sizes of hash tables. All of it as there: the order of iteration depends on it.

use super::{Args, Host, Table};
use crate::machine::Machine;
use crate::outcome::Ctl;
use crate::value::{Blob, Scalar, Value};

/// `_Rb_tree_node_base`: colour, parent, left, right.
const COLOUR: u64 = 0;
const PARENT: u64 = 8;
const LEFT: u64 = 16;
const RIGHT: u64 = 24;
const RED: u64 = 0;
const BLACK: u64 = 1;

/// A tree in the program's memory. `header.parent` is the root, `header.left` and `header.right`
/// are its first and last node.
struct Tree<'a, 'p> {
    m: &'a mut Machine<'p>,
    header: Scalar,
}

impl Tree<'_, '_> {
    fn get(&self, node: Scalar, field: u64) -> Result<Scalar, Ctl> {
        self.m.read_pointer(node.offset(field))
    }

    fn set(&mut self, node: Scalar, field: u64, to: Scalar) -> Result<(), Ctl> {
        self.m.write_scalar(node.offset(field), 8, to)
    }

    fn colour(&self, node: Scalar) -> Result<u64, Ctl> {
        Ok(self.m.read_word(node.offset(COLOUR), 4)?.bits)
    }

    fn paint(&mut self, node: Scalar, colour: u64) -> Result<(), Ctl> {
        self.m.write_word(node.offset(COLOUR), 4, colour)
    }

    /// Missing nodes are black.
    fn is_black(&self, node: Scalar) -> Result<bool, Ctl> {
        Ok(node.bits == 0 || self.colour(node)? == BLACK)
    }

    fn root(&self) -> Result<Scalar, Ctl> {
        self.get(self.header, PARENT)
    }

    /// Puts `new` where `old` hangs.
    fn replace(&mut self, old: Scalar, new: Scalar) -> Result<(), Ctl> {
        let parent = self.get(old, PARENT)?;
        if self.root()?.bits == old.bits {
            self.set(self.header, PARENT, new)
        } else if self.get(parent, LEFT)?.bits == old.bits {
            self.set(parent, LEFT, new)
        } else {
            self.set(parent, RIGHT, new)
        }
    }

    /// Turns a node down to the side `to`; its other child takes its place.
    fn rotate(&mut self, x: Scalar, to: u64) -> Result<(), Ctl> {
        let from = LEFT + RIGHT - to;
        let y = self.get(x, from)?;
        let inner = self.get(y, to)?;
        self.set(x, from, inner)?;
        if inner.bits != 0 {
            self.set(inner, PARENT, x)?;
        }
        let parent = self.get(x, PARENT)?;
        self.set(y, PARENT, parent)?;
        self.replace(x, y)?;
        self.set(y, to, x)?;
        self.set(x, PARENT, y)
    }

    fn insert(&mut self, left: bool, x: Scalar, parent: Scalar) -> Result<(), Ctl> {
        self.set(x, PARENT, parent)?;
        self.set(x, LEFT, Scalar::ZERO)?;
        self.set(x, RIGHT, Scalar::ZERO)?;
        self.paint(x, RED)?;
        let header = self.header;
        if left {
            self.set(parent, LEFT, x)?;
            if parent.bits == header.bits {
                self.set(header, PARENT, x)?;
                self.set(header, RIGHT, x)?;
            } else if self.get(header, LEFT)?.bits == parent.bits {
                self.set(header, LEFT, x)?;
            }
        } else {
            self.set(parent, RIGHT, x)?;
            if self.get(header, RIGHT)?.bits == parent.bits {
                self.set(header, RIGHT, x)?;
            }
        }
        let mut x = x;
        while x.bits != self.root()?.bits {
            let parent = self.get(x, PARENT)?;
            if self.colour(parent)? == BLACK {
                break;
            }
            let grand = self.get(parent, PARENT)?;
            let side = if self.get(grand, LEFT)?.bits == parent.bits {
                LEFT
            } else {
                RIGHT
            };
            let other = LEFT + RIGHT - side;
            let uncle = self.get(grand, other)?;
            if !self.is_black(uncle)? {
                self.paint(parent, BLACK)?;
                self.paint(uncle, BLACK)?;
                self.paint(grand, RED)?;
                x = grand;
                continue;
            }
            if self.get(parent, other)?.bits == x.bits {
                x = parent;
                self.rotate(x, side)?;
            }
            let parent = self.get(x, PARENT)?;
            self.paint(parent, BLACK)?;
            self.paint(grand, RED)?;
            self.rotate(grand, other)?;
        }
        let root = self.root()?;
        self.paint(root, BLACK)
    }

    fn end_of(&self, node: Scalar, side: u64) -> Result<Scalar, Ctl> {
        let mut at = node;
        loop {
            let next = self.get(at, side)?;
            if next.bits == 0 {
                return Ok(at);
            }
            at = next;
        }
    }

    /// Takes a node out; what is returned is to be freed.
    fn erase(&mut self, z: Scalar) -> Result<Scalar, Ctl> {
        let header = self.header;
        let (left, right) = (self.get(z, LEFT)?, self.get(z, RIGHT)?);
        let y = if left.bits == 0 || right.bits == 0 {
            z
        } else {
            self.end_of(right, LEFT)?
        };
        let mut x = if self.get(y, LEFT)?.bits == 0 {
            self.get(y, RIGHT)?
        } else {
            self.get(y, LEFT)?
        };
        let mut x_parent;
        let colour = self.colour(y)?;
        if y.bits != z.bits {
            // The successor takes the place of the node.
            self.set(left, PARENT, y)?;
            self.set(y, LEFT, left)?;
            if y.bits != right.bits {
                x_parent = self.get(y, PARENT)?;
                if x.bits != 0 {
                    self.set(x, PARENT, x_parent)?;
                }
                self.set(x_parent, LEFT, x)?;
                self.set(y, RIGHT, right)?;
                self.set(right, PARENT, y)?;
            } else {
                x_parent = y;
            }
            self.replace(z, y)?;
            let parent = self.get(z, PARENT)?;
            self.set(y, PARENT, parent)?;
            let old = self.colour(z)?;
            self.paint(y, old)?;
        } else {
            x_parent = self.get(y, PARENT)?;
            if x.bits != 0 {
                self.set(x, PARENT, x_parent)?;
            }
            self.replace(z, x)?;
            for side in [LEFT, RIGHT] {
                if self.get(header, side)?.bits == z.bits {
                    let end = match x.bits {
                        0 => self.get(z, PARENT)?,
                        _ => self.end_of(x, side)?,
                    };
                    self.set(header, side, end)?;
                }
            }
        }
        if colour == RED {
            return Ok(z);
        }
        while x.bits != self.root()?.bits && self.is_black(x)? {
            let side = if self.get(x_parent, LEFT)?.bits == x.bits {
                LEFT
            } else {
                RIGHT
            };
            let other = LEFT + RIGHT - side;
            let mut w = self.get(x_parent, other)?;
            if self.colour(w)? == RED {
                self.paint(w, BLACK)?;
                self.paint(x_parent, RED)?;
                self.rotate(x_parent, side)?;
                w = self.get(x_parent, other)?;
            }
            let (near, far) = (self.get(w, side)?, self.get(w, other)?);
            if self.is_black(near)? && self.is_black(far)? {
                self.paint(w, RED)?;
                x = x_parent;
                x_parent = self.get(x_parent, PARENT)?;
                continue;
            }
            if self.is_black(far)? {
                self.paint(near, BLACK)?;
                self.paint(w, RED)?;
                self.rotate(w, other)?;
                w = self.get(x_parent, other)?;
            }
            let colour = self.colour(x_parent)?;
            self.paint(w, colour)?;
            self.paint(x_parent, BLACK)?;
            let far = self.get(w, other)?;
            if far.bits != 0 {
                self.paint(far, BLACK)?;
            }
            self.rotate(x_parent, side)?;
            break;
        }
        if x.bits != 0 {
            self.paint(x, BLACK)?;
        }
        Ok(z)
    }

    /// The next node on the side `to`.
    fn step(&self, node: Scalar, to: u64) -> Result<Scalar, Ctl> {
        let from = LEFT + RIGHT - to;
        // Back from the end: the header is red, and its own grandparent.
        if to == LEFT && self.colour(node)? == RED {
            let parent = self.get(node, PARENT)?;
            if parent.bits != 0 && self.get(parent, PARENT)?.bits == node.bits {
                return self.get(node, RIGHT);
            }
        }
        let down = self.get(node, to)?;
        if down.bits != 0 {
            return self.end_of(down, from);
        }
        let mut x = node;
        let mut y = self.get(x, PARENT)?;
        while x.bits == self.get(y, to)?.bits {
            x = y;
            y = self.get(y, PARENT)?;
        }
        // A tree of one node: its right is the header.
        Ok(if to == RIGHT && self.get(x, RIGHT)?.bits == y.bits {
            x
        } else {
            y
        })
    }
}

fn step(h: &mut dyn Host<'_>, a: &[Value], to: u64) -> Result<Value, Ctl> {
    let node = a.at(0)?;
    let tree = Tree {
        m: h.m(),
        header: node,
    };
    Ok(Value::Scalar(tree.step(node, to)?))
}

fn increment(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    step(h, a, RIGHT)
}

fn decrement(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    step(h, a, LEFT)
}

/// `_List_node_base`: next, previous.
const NEXT: u64 = 0;
const PREVIOUS: u64 = 8;

fn join(m: &mut Machine<'_>, a: Scalar, b: Scalar) -> Result<(), Ctl> {
    m.write_scalar(a.offset(NEXT), 8, b)?;
    m.write_scalar(b.offset(PREVIOUS), 8, a)
}

/// Moves [first, last) in front of a node.
fn transfer(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (to, first, last) = (a.at(0)?, a.at(1)?, a.at(2)?);
    if to.bits == last.bits {
        return Ok(Value::Void);
    }
    let m = h.m();
    let end = m.read_pointer(last.offset(PREVIOUS))?;
    let before_first = m.read_pointer(first.offset(PREVIOUS))?;
    let before_to = m.read_pointer(to.offset(PREVIOUS))?;
    join(m, before_first, last)?;
    join(m, before_to, first)?;
    join(m, end, to)?;
    Ok(Value::Void)
}

fn reverse(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let start = a.at(0)?;
    let m = h.m();
    let mut at = start;
    loop {
        let (next, previous) = (
            m.read_pointer(at.offset(NEXT))?,
            m.read_pointer(at.offset(PREVIOUS))?,
        );
        m.write_scalar(at.offset(NEXT), 8, previous)?;
        m.write_scalar(at.offset(PREVIOUS), 8, next)?;
        at = next;
        if at.bits == start.bits {
            return Ok(Value::Void);
        }
    }
}

/// Exchanges what two list heads hold.
fn swap_lists(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (x, y) = (a.at(0)?, a.at(1)?);
    let m = h.m();
    let ends = |m: &Machine<'_>, p: Scalar| -> Result<_, Ctl> {
        let first = m.read_pointer(p.offset(NEXT))?;
        let last = m.read_pointer(p.offset(PREVIOUS))?;
        Ok((first.bits != p.bits).then_some((first, last)))
    };
    let (of_x, of_y) = (ends(m, x)?, ends(m, y)?);
    for (head, list) in [(x, of_y), (y, of_x)] {
        match list {
            Some((first, last)) => {
                join(m, head, first)?;
                join(m, last, head)?;
            }
            None => join(m, head, head)?,
        }
    }
    Ok(Value::Void)
}

/// `_Hash_bytes`: 64-bit MurmurHash.
fn hash_bytes(bytes: &[u8], seed: u64) -> u64 {
    const MUL: u64 = 0xc6a4_a793_5bd1_e995;
    let mix = |v: u64| v ^ v >> 47;
    let mut hash = seed ^ (bytes.len() as u64).wrapping_mul(MUL);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = chunk.iter().rev().fold(0, |w, &b| w << 8 | u64::from(b));
        hash ^= mix(word.wrapping_mul(MUL)).wrapping_mul(MUL);
        hash = hash.wrapping_mul(MUL);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let word = rest.iter().rev().fold(0, |w, &b| w << 8 | u64::from(b));
        hash ^= word;
        hash = hash.wrapping_mul(MUL);
    }
    mix(mix(hash).wrapping_mul(MUL))
}

/// Sizes of hash tables: libstdc++'s `__prime_list`, as far as memory here reaches.
const PRIMES: &[u64] = &[
    2,
    3,
    5,
    7,
    11,
    13,
    17,
    19,
    23,
    29,
    31,
    37,
    41,
    43,
    47,
    53,
    59,
    61,
    67,
    71,
    73,
    79,
    83,
    89,
    97,
    103,
    109,
    113,
    127,
    137,
    139,
    149,
    157,
    167,
    179,
    193,
    199,
    211,
    227,
    241,
    257,
    277,
    293,
    313,
    337,
    359,
    383,
    409,
    439,
    467,
    503,
    541,
    577,
    619,
    661,
    709,
    761,
    823,
    887,
    953,
    1031,
    1109,
    1193,
    1289,
    1381,
    1493,
    1613,
    1741,
    1879,
    2029,
    2179,
    2357,
    2549,
    2753,
    2971,
    3209,
    3469,
    3739,
    4027,
    4349,
    4703,
    5087,
    5503,
    5953,
    6427,
    6949,
    7517,
    8123,
    8783,
    9497,
    10_273,
    11_113,
    12_011,
    12_983,
    14_033,
    15_173,
    16_411,
    17_749,
    19_183,
    20_753,
    22_447,
    24_281,
    26_267,
    28_411,
    30_727,
    33_223,
    35_933,
    38_873,
    42_043,
    45_481,
    49_201,
    53_201,
    57_557,
    62_233,
    67_307,
    72_817,
    78_779,
    85_229,
    92_203,
    99_733,
    107_897,
    116_731,
    126_271,
    136_607,
    147_793,
    159_871,
    172_933,
    187_091,
    202_409,
    218_971,
    236_897,
    256_279,
    277_261,
    299_951,
    324_503,
    351_061,
    379_787,
    410_857,
    444_487,
    480_881,
    520_241,
    562_841,
    608_903,
    658_753,
    712_697,
    771_049,
    834_181,
    902_483,
    976_369,
    1_056_323,
    1_142_821,
    1_236_397,
    1_337_629,
    1_447_153,
    1_565_659,
    1_693_859,
    1_832_561,
    1_982_627,
    2_144_977,
    2_320_627,
    2_510_653,
    2_716_249,
    2_938_679,
    3_179_303,
    3_439_651,
    3_721_303,
    4_026_031,
    4_355_707,
    4_712_381,
    5_098_259,
    5_515_729,
    5_967_347,
    6_456_007,
    6_984_629,
    7_556_579,
    8_175_383,
    8_844_859,
    9_569_143,
    10_352_717,
    11_200_489,
    12_117_689,
    13_109_983,
    14_183_539,
    15_345_007,
    16_601_593,
    17_961_079,
    19_431_899,
    21_023_161,
    22_744_717,
    24_607_243,
    26_622_317,
    28_802_401,
    31_160_981,
    33_712_729,
    36_473_443,
    39_460_231,
    42_691_603,
    46_187_573,
    49_969_847,
    54_061_849,
    58_488_943,
    63_278_561,
    68_460_391,
    74_066_549,
    80_131_819,
    86_693_767,
    93_793_069,
    101_473_717,
    109_783_337,
    118_773_397,
    128_499_677,
    139_022_417,
    150_406_843,
    162_723_577,
    176_048_909,
    190_465_427,
    206_062_531,
    222_936_881,
    241_193_053,
    260_944_219,
    282_312_799,
    305_431_229,
    330_442_829,
    357_502_601,
    386_778_277,
    418_451_333,
    452_718_089,
    489_790_921,
    529_899_637,
    573_292_817,
    620_239_453,
    671_030_513,
    725_980_837,
    785_430_967,
    849_749_479,
    919_334_987,
    994_618_837,
    1_076_067_617,
];

/// For small tables.
const FAST: [u64; 14] = [2, 2, 2, 3, 5, 5, 7, 7, 11, 11, 11, 11, 13, 13];

/// `_Prime_rehash_policy`: the load factor, then the number of elements to grow at.
fn next_buckets(m: &mut Machine<'_>, policy: Scalar, n: u64) -> Result<u64, Ctl> {
    let factor = f32::from_bits(m.read_word(policy, 4)?.bits as u32);
    if n < FAST.len() as u64 {
        if n == 0 {
            return Ok(1);
        }
        let buckets = FAST[n as usize];
        let grow = (buckets as f64 * f64::from(factor)).floor() as u64;
        m.write_word(policy.offset(8), 8, grow)?;
        return Ok(buckets);
    }
    // The first six are the fast ones.
    let list = PRIMES.get(6..).unwrap_or_default();
    let buckets = list
        .get(list.partition_point(|&p| p < n))
        .copied()
        .unwrap_or(n | 1);
    let grow = (buckets as f64 * f64::from(factor)).floor() as u64;
    m.write_word(policy.offset(8), 8, grow)?;
    Ok(buckets)
}

/// Must the table grow for `more` elements, and to how many buckets?
fn need_rehash(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let (policy, buckets, elements, more) = (a.at(0)?, a.u64(1)?, a.u64(2)?, a.u64(3)?);
    let m = h.m();
    let grow_at = m.read_word(policy.offset(8), 8)?.bits;
    let factor = f64::from(f32::from_bits(m.read_word(policy, 4)?.bits as u32));
    let mut answer = (false, 0);
    if elements.wrapping_add(more) > grow_at {
        let at_least = elements
            .wrapping_add(more)
            .max(if grow_at != 0 { 0 } else { 11 });
        let wanted = at_least as f64 / factor;
        if wanted >= buckets as f64 {
            let wanted = (wanted.floor() as u64 + 1).max(buckets.wrapping_mul(2));
            answer = (true, next_buckets(m, policy, wanted)?);
        } else {
            let grow = (buckets as f64 * factor).floor() as u64;
            m.write_word(policy.offset(8), 8, grow)?;
        }
    }
    let mut bytes = vec![u8::from(answer.0), 0, 0, 0, 0, 0, 0, 0];
    bytes.extend(answer.1.to_le_bytes());
    Ok(Value::Blob(Box::new(Blob {
        bytes,
        ..Blob::default()
    })))
}

pub(super) const TABLE: Table = &[
    (
        "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
        |h, a| {
            let (left, x, parent, header) = (a.byte(0)? != 0, a.at(1)?, a.at(2)?, a.at(3)?);
            Tree { m: h.m(), header }.insert(left, x, parent)?;
            Ok(Value::Void)
        },
    ),
    (
        "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
        |h, a| {
            let (z, header) = (a.at(0)?, a.at(1)?);
            Ok(Value::Scalar(Tree { m: h.m(), header }.erase(z)?))
        },
    ),
    ("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", increment),
    (
        "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
        increment,
    ),
    ("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", decrement),
    (
        "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
        decrement,
    ),
    ("_ZNSt8__detail15_List_node_base7_M_hookEPS0_", |h, a| {
        let (node, before) = (a.at(0)?, a.at(1)?);
        let m = h.m();
        let previous = m.read_pointer(before.offset(PREVIOUS))?;
        join(m, previous, node)?;
        join(m, node, before)?;
        Ok(Value::Void)
    }),
    ("_ZNSt8__detail15_List_node_base9_M_unhookEv", |h, a| {
        let node = a.at(0)?;
        let m = h.m();
        let next = m.read_pointer(node.offset(NEXT))?;
        let previous = m.read_pointer(node.offset(PREVIOUS))?;
        join(m, previous, next)?;
        Ok(Value::Void)
    }),
    (
        "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
        transfer,
    ),
    ("_ZNSt8__detail15_List_node_base10_M_reverseEv", reverse),
    ("_ZNSt8__detail15_List_node_base4swapERS0_S1_", swap_lists),
    ("_ZSt11_Hash_bytesPKvmm", |h, a| {
        let bytes = h.m().read_bytes(a.at(0)?, a.u64(1)?)?;
        Ok(Value::int(hash_bytes(&bytes, a.u64(2)?)))
    }),
    (
        "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
        |h, a| {
            let n = next_buckets(h.m(), a.at(0)?, a.u64(1)?)?;
            Ok(Value::int(n))
        },
    ),
    (
        "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
        need_rehash,
    ),
];
