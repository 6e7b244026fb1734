use std::fmt;
use std::io::{self, BufRead};
use std::process::ExitCode;

enum Fault {
    Unknown(String),
    Empty,
    Division { by: i64 },
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Fault::Unknown(word) => write!(out, "unknown word {word:?}"),
            Fault::Empty => write!(out, "the stack is empty"),
            Fault::Division { by } => write!(out, "division by {by}"),
        }
    }
}

fn step(stack: &mut Vec<i64>, word: &str) -> Result<(), Fault> {
    if let Ok(number) = word.parse() {
        stack.push(number);
        return Ok(());
    }
    let right = stack.pop().ok_or(Fault::Empty)?;
    if word == "dup" {
        stack.extend([right, right]);
        return Ok(());
    }
    let left = stack.pop().ok_or(Fault::Empty)?;
    stack.push(match word {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left.checked_div(right).ok_or(Fault::Division { by: right })?,
        other => return Err(Fault::Unknown(other.to_owned())),
    });
    Ok(())
}

fn main() -> ExitCode {
    let mut faults = 0;
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let mut stack = Vec::new();
        match line.split_whitespace().try_for_each(|word| step(&mut stack, word)) {
            Ok(()) if stack.len() == 1 => println!("{line} = {}", stack[0]),
            Ok(()) => println!("{line} leaves {stack:?}"),
            Err(fault) => {
                eprintln!("{line}: {fault}");
                faults += 1;
            }
        }
    }
    ExitCode::from(faults * 10)
}
