//! `getopt` on a path: `optarg` is not null where the letter that was given has a colon.

use crate::path::Path;
use automata::text::Unit;
use logic::TermId;

impl Path<'_> {
    /// A call has given a letter, and left in a variable what stands behind that option.
    pub(crate) fn leave_argument(
        &mut self,
        variable: &str,
        letters: Option<TermId>,
        given: Option<TermId>,
    ) -> Option<()> {
        let program = self.program();
        let mut globals = program.globals.iter();
        let (global, _) = globals.find(|(_, g)| program.name(g.name) == variable)?;
        let variable = self.global_object(global);
        self.blur(variable, true);
        let (letters, given) = (self.letters(letters?)?, given?);
        let start = self.word64(0);
        let word = self.read(variable, start, 8).value;
        let set = self.pool.is_nonzero(word);
        let width = self.pool.width(given);
        for (i, letter) in letters.iter().enumerate() {
            let (next, later) = (letters.get(i + 1), letters.get(i + 2));
            // Two colons: an argument that may be missing.
            if *letter != b':' && next == Some(&b':') && later != Some(&b':') {
                let letter = self.pool.bits(width, u128::from(*letter));
                let is_given = self.pool.equal(given, letter);
                let set = self.pool.implies(is_given, set);
                self.assume(set);
            }
        }
        Some(())
    }

    /// The characters of a string that is known.
    fn letters(&mut self, pointer: TermId) -> Option<Vec<u8>> {
        let length = self.known_characters(pointer, Unit::Byte)?;
        let target = self.single_target(pointer)?;
        let mut letters = Vec::new();
        for i in 0..length {
            let by = self.word64(i);
            let offset = self.pool.add(target.offset, by);
            let letter = self.read(target.object, offset, 1).value;
            letters.push(self.pool.as_bits(letter)? as u8);
        }
        Some(letters)
    }
}
