/** The length of a measurement. Benchmarks measure over a time; tests wait for events instead. */
export function span(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}
