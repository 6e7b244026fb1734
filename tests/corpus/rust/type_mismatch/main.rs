fn main() {
    let number: i32 = "text";
    println!("{number}");
}
