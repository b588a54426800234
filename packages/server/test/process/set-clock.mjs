// Loaded before a server: its machine's clock is so many milliseconds ahead, and steps once it hears SIGUSR2.
const read = Date.now
let aheadMs = Number(process.env.TEST_CLOCK_AHEAD_MS)
process.on('SIGUSR2', () => {
  aheadMs += Number(process.env.TEST_CLOCK_STEP_MS ?? 0)
})
Date.now = () => read() + aheadMs
