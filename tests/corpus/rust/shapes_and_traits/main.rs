use std::collections::BTreeMap;
use std::fmt;

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        String::from("shape")
    }
}

struct Square(f64);

struct Rectangle(f64, f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl Shape for Rectangle {
    fn area(&self) -> f64 {
        self.0 * self.1
    }
    fn name(&self) -> String {
        format!("{}x{}", self.0, self.1)
    }
}

struct Table<K, V>(BTreeMap<K, Vec<V>>);

impl<K: Ord, V> Table<K, V> {
    fn add(&mut self, key: K, value: V) {
        self.0.entry(key).or_default().push(value);
    }
}

impl<K: fmt::Display, V: fmt::Debug> fmt::Display for Table<K, V> {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        for (key, values) in &self.0 {
            writeln!(out, "{key:>6} {values:?}")?;
        }
        Ok(())
    }
}

fn main() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(1.5)), Box::new(Rectangle(2.0, 0.25))];
    for shape in &shapes {
        println!("{:<9}{:>8.3}", shape.name(), shape.area());
    }
    println!("total {}", shapes.iter().map(|shape| shape.area()).sum::<f64>());

    let mut lengths = Table(BTreeMap::new());
    for word in "the quick brown fox jumps over the lazy dog".split(' ') {
        lengths.add(word.len(), word);
    }
    print!("{lengths}");
    println!("{:?}", lengths.0.get(&3).and_then(|words| words.iter().max()));
}
