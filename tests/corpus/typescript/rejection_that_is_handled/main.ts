const heard: string[] = [];
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  heard.push((event.reason as Error).message);
});
void Promise.reject(new Error("lost"));
for (let tries = 0; tries < 1000 && heard.length === 0; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 5));
}
return heard;
