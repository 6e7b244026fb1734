const code = `self.onmessage = ({ data }) => {
  self.postMessage(data.map((n) => n * n));
  self.close();
};`;
const worker = new Worker(`data:application/javascript,${encodeURIComponent(code)}`, { type: "module" });
const squares = await new Promise<number[]>((resolve) => {
  worker.onmessage = (event: MessageEvent<number[]>) => resolve(event.data);
  worker.postMessage([1, 2, 3]);
});
return squares;
