//! Constants: their bits, bytes and elements.

use super::{Block, Value, text};
use llvm_sys::core::*;

impl<'m> Value<'m> {
    /// Bits of an integer constant up to 128 wide; `None` beyond.
    pub fn int_bits(self) -> Option<u128> {
        let super::TyKind::Int(width) = self.ty().kind() else {
            return None;
        };
        if width <= 64 {
            // SAFETY: an integer constant of at most 64 bits.
            return Some(u128::from(unsafe { LLVMConstIntGetZExtValue(self.raw) }));
        }
        match self.int_words()?.as_slice() {
            [a, b, rest @ ..] if rest.iter().all(|&w| w == 0) => {
                Some(u128::from(*a) | u128::from(*b) << 64)
            }
            _ => None,
        }
    }

    /// Bits of an integer constant of any width, in words of 64, lowest first.
    pub fn int_words(self) -> Option<Vec<u64>> {
        let super::TyKind::Int(width) = self.ty().kind() else {
            return None;
        };
        if width <= 64 {
            // SAFETY: an integer constant of at most 64 bits.
            return Some(vec![unsafe { LLVMConstIntGetZExtValue(self.raw) }]);
        }
        // The C interface has no other way to the high bits than the decimal text.
        let printed = self.print();
        let text = printed.rsplit(' ').next()?;
        let digits = text.strip_prefix('-').unwrap_or(text);
        let mut words = vec![0u64; width.div_ceil(64) as usize];
        for digit in digits.chars() {
            let mut carry = u128::from(digit.to_digit(10)?);
            for w in &mut words {
                let t = u128::from(*w) * 10 + carry;
                *w = t as u64;
                carry = t >> 64;
            }
        }
        if digits.len() < text.len() {
            let mut carry = true;
            for w in &mut words {
                let (n, c) = (!*w).overflowing_add(u64::from(carry));
                (*w, carry) = (n, c);
            }
        }
        if width % 64 != 0
            && let Some(top) = words.last_mut()
        {
            *top &= (1 << (width % 64)) - 1;
        }
        Some(words)
    }

    /// Where the one bits (or zero bits) of an integer constant lie, if they are one run:
    /// (first, count).
    pub fn bit_run(self, ones: bool) -> Option<(u16, u16)> {
        let super::TyKind::Int(width) = self.ty().kind() else {
            return None;
        };
        let words = self.int_words()?;
        let bit = |i: u32| {
            words
                .get(i as usize / 64)
                .is_some_and(|w| w >> (i % 64) & 1 == 1)
                == ones
        };
        let first = (0..width).find(|&i| bit(i))?;
        let count = (first..width).take_while(|&i| bit(i)).count() as u32;
        let single = !(first + count..width).any(bit);
        single.then_some((first as u16, count as u16))
    }

    /// IEEE bits of a float constant; x87: its 80 bits.
    pub fn float_bits(self) -> Option<u128> {
        use super::TyKind;
        let mut lost = 0;
        // SAFETY: a float constant.
        let value = unsafe { LLVMConstRealGetDouble(self.raw, &mut lost) };
        match self.ty().kind() {
            TyKind::Float if !value.is_nan() => Some(u128::from((value as f32).to_bits())),
            TyKind::Double if !value.is_nan() => Some(u128::from(value.to_bits())),
            kind => {
                // LLVM prints these in hexadecimal: `double 0x7FF8…`, `x86_fp80 0xK3FFF8…`.
                let printed = self.print();
                let word = printed.rsplit(' ').next()?;
                let hex = word
                    .strip_prefix("0x")?
                    .trim_start_matches(['K', 'L', 'M', 'H', 'R']);
                let bits = u128::from_str_radix(hex, 16).ok()?;
                match kind {
                    // A float is printed as the double of the same value.
                    TyKind::Float => {
                        Some(u128::from((f64::from_bits(bits as u64) as f32).to_bits()))
                    }
                    // fp128 is printed low half first.
                    TyKind::Fp128 => Some(bits.rotate_left(64)),
                    _ => Some(bits),
                }
            }
        }
    }

    /// The bytes of a constant array of i8.
    pub fn string_bytes(self) -> Option<&'m [u8]> {
        // SAFETY: checked to be a data sequence of bytes; LLVM keeps the data with the context.
        unsafe {
            if LLVMIsAConstantDataSequential(self.raw).is_null()
                || LLVMIsConstantString(self.raw) == 0
            {
                return None;
            }
            let mut len = 0;
            let data = LLVMGetAsString(self.raw, &mut len);
            Some(std::slice::from_raw_parts(data.cast(), len))
        }
    }

    pub fn is_null_constant(self) -> bool {
        // SAFETY: a live value handle.
        unsafe { LLVMIsNull(self.raw) != 0 }
    }

    /// An element of a constant aggregate, zero initialisers included.
    pub fn element(self, index: u32) -> Option<Value<'m>> {
        // SAFETY: a constant aggregate; LLVM answers null beyond its end.
        unsafe { Value::wrap(LLVMGetAggregateElement(self.raw, index)) }
    }

    pub fn block_address(self) -> Option<(Value<'m>, Block<'m>)> {
        // SAFETY: a block address.
        unsafe {
            let f = Value::wrap(LLVMGetBlockAddressFunction(self.raw))?;
            Some((f, Block::wrap(LLVMGetBlockAddressBasicBlock(self.raw))?))
        }
    }

    /// LLVM's text for a constant. Expensive on anything that refers to the module.
    fn print(self) -> String {
        // SAFETY: the message is copied, then freed.
        unsafe {
            let s = LLVMPrintValueToString(self.raw);
            let out = text(s, libc::strlen(s)).into_owned();
            LLVMDisposeMessage(s);
            out
        }
    }
}
