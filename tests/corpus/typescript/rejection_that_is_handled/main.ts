const heard: string[] = [];
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  heard.push((event.reason as Error).message);
});
void Promise.reject(new Error("lost"));
await new Promise((resolve) => setTimeout(resolve, 5));
return heard;
