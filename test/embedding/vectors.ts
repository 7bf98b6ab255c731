export function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return a?.reduce((sum, value, i) => sum + value * (b?.[i] ?? Number.NaN), 0) ?? Number.NaN;
}
