/** What `work` comes to, or `otherwise` where it takes longer than `limitMs`. The work goes on; nobody waits for it. */
export async function limitTime<T, U>(work: Promise<T>, limitMs: number, otherwise: U): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<U>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
