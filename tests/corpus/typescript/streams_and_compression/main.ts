const lines = new ReadableStream<string>({
  start(controller) {
    for (let n = 0; n < 1000; n += 1) controller.enqueue(`line ${n % 10}\n`);
    controller.close();
  },
});
const packed = await new Response(
  lines.pipeThrough(new TextEncoderStream()).pipeThrough(new CompressionStream("gzip")),
).bytes();
const again = await new Response(
  new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")),
).text();
return { letters: again.length, last: again.trimEnd().split("\n").at(-1) };
