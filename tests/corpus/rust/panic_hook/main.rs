use std::panic;

struct Guard(&'static str);

impl Drop for Guard {
    fn drop(&mut self) {
        println!("{} is released", self.0);
    }
}

fn pick(values: &[i32], at: usize) -> i32 {
    let _guard = Guard("inner");
    values[at]
}

fn main() {
    panic::set_hook(Box::new(|info| {
        let line = info.location().map_or(0, |place| place.line());
        eprintln!("stopped in line {line}");
    }));
    let _guard = Guard("outer");
    let values: Vec<i32> = (1..=3).map(|n| n * n).collect();
    let caught = std::thread::spawn(|| "x7".parse::<i32>().expect("no number")).join();
    println!("a thread panicked: {}", caught.is_err());
    let unwound = panic::catch_unwind(|| i32::pow(2, 4).checked_rem(0).unwrap());
    println!("caught: {}", unwound.is_err());
    println!("third {}", pick(&values, 2));
    println!("fourth {}", pick(&values, 3));
}
