/** Rate limits are counted in memory: the rows that held them are read no more. */
export function rateInMemory(): string[] {
  return ["delete from allowances where bucket like 'rate:%'"]
}
