//! All of memory at one moment.

use super::{Header, Memory, Store};

/// What memory was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    next: u64,
    headers: Vec<Header>,
    stores: Vec<Store>,
}

impl Memory {
    pub fn image(&self) -> Image {
        Image {
            next: self.next,
            headers: self.headers.clone(),
            stores: self.stores.clone(),
        }
    }

    /// Is everything as it was?
    pub fn is_like(&self, image: &Image) -> bool {
        self.next == image.next && self.headers == image.headers && self.stores == image.stores
    }
}
