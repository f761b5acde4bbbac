//! Symbols of coefficients, and products of them by their numbers.

use std::collections::HashMap;

/// A parameter that stays a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct SymbolValue {
    /// As the papers write it: `m2`, `rx2`, `Ixx3`.
    pub name: String,
    /// Its value, SI.
    pub value: f64,
}

/// Symbols and the products of them that have occurred.
#[derive(Clone, Debug, Default)]
pub struct SymbolTable {
    /// The symbols.
    pub symbols: Vec<SymbolValue>,
    /// Products as sorted lists of symbols, from number 1; 0 is the empty one.
    products: Vec<Vec<u16>>,
    numbers: HashMap<Vec<u16>, u32>,
    known: HashMap<(u32, u32), u32>,
}

impl SymbolTable {
    /// The symbols of a product.
    pub fn product(&self, number: u32) -> impl Iterator<Item = &SymbolValue> {
        let product = (number as usize).checked_sub(1).map(|k| &self.products[k]);
        product.into_iter().flatten().map(|&s| &self.symbols[s as usize])
    }

    /// The value of a product.
    pub fn value(&self, number: u32) -> f64 {
        self.product(number).map(|symbol| symbol.value).product()
    }

    /// A new symbol: it is the product with the next number.
    pub(super) fn add(&mut self, name: String, value: f64) {
        let index = self.symbols.len() as u16;
        self.symbols.push(SymbolValue { name, value });
        self.number(vec![index]);
    }

    fn number(&mut self, product: Vec<u16>) -> u32 {
        let next = self.products.len() as u32 + 1;
        let number = *self.numbers.entry(product.clone()).or_insert(next);
        if number == next {
            self.products.push(product);
        }
        number
    }

    /// The product of two products.
    pub(super) fn multiply(&mut self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return a + b;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        let mut product = [a, b].map(|number| &self.products[number as usize - 1][..]).concat();
        product.sort_unstable();
        let number = self.number(product);
        self.known.insert((a, b), number);
        number
    }
}
