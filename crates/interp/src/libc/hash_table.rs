//! The hash function and table sizes of libstdc++: `std::unordered_map` calls these. The same
//! numbers as there, since the order of iteration shows them.

use super::{Args, Host, Table};
use crate::machine::Machine;
use crate::outcome::Ctl;
use crate::value::{Blob, Scalar, Value};

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
