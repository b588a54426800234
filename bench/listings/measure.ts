/** How long one thing takes, in milliseconds. */
export interface Times {
  p50: number
  p99: number
}

const WARM_UP = 20
const BLOCKS = 5

/**
 * Times several things turn by turn, so that whatever else the machine does meanwhile falls on all of them alike. The
 * samples are cut into blocks, and each figure is the median of the blocks', so that one such time does not decide it.
 */
export async function timeInTurns(things: readonly (() => Promise<unknown>)[], samples: number): Promise<Times[]> {
  const perBlock = Math.ceil(samples / BLOCKS)
  const blocks: number[][][] = []
  await timeBlock(things, WARM_UP)
  for (let block = 0; block < BLOCKS; block += 1) blocks.push(await timeBlock(things, perBlock))
  return things.map((_, index) => {
    const times = blocks.map((block) => block[index] ?? [])
    return {
      p50: median(times.map((block) => percentile(block, 50))),
      p99: median(times.map((block) => percentile(block, 99))),
    }
  })
}

async function timeBlock(things: readonly (() => Promise<unknown>)[], samples: number): Promise<number[][]> {
  const taken = things.map((): number[] => [])
  const order = [...things.entries()]
  for (let turn = 0; turn < samples; turn += 1) {
    for (const [index, thing] of order.reverse()) {
      const begun = performance.now()
      await thing()
      taken[index]?.push(performance.now() - begun)
    }
  }
  return taken
}

/** By nearest rank. */
function percentile(times: readonly number[], percent: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}

function median(figures: readonly number[]): number {
  return percentile(figures, 50)
}
