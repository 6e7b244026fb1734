const table = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
process.stdout.write(table);
process.stdout.write(Buffer.from('\n€é').subarray(0, 5));
process.stdout.write(Buffer.of(0xf0));
