import { expect, test } from 'vitest'
import { deploymentReply, shopCapability, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, shopProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const CLEAR = '\r\u001b[K'
const URL = 'https://svc.example.com'

type Options = { args?: string[]; env?: object; isTTY?: boolean; columns?: number }

/** Runs `svc status` against an answer that takes the given ticks of the clock, and returns what stderr was given. */
async function statusTaking(ticksMs: readonly number[], options: Options) {
  const clock = { nowMs: 0, tick: () => {}, isRunning: false }
  const timers = {
    now: () => clock.nowMs,
    after: () => () => undefined,
    every: (_intervalMs: number, tick: () => void) => {
      Object.assign(clock, { tick, isRunning: true })
      return () => Object.assign(clock, { isRunning: false })
    },
  }
  const { exitCode, stderr } = await runSvc(createProject(shopProject()), ['status', ...(options.args ?? [])], {
    timers,
    isTTY: options.isTTY ?? true,
    ...(options.columns !== undefined && { columns: options.columns }),
    env: { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: URL, TERM: 'xterm', ...options.env },
    fetch: async (url) => {
      if (String(url).endsWith('/deployment')) {
        return Response.json(deploymentReply(['order-status', 'refund'].map(shopCapability)).body)
      }
      for (const ms of ticksMs) {
        clock.nowMs += ms
        if (clock.isRunning) clock.tick()
      }
      return Response.json(statusReply(['order-status', 'refund']).body)
    },
  })
  expect(exitCode).toBe(0)
  expect(clock.isRunning).toBe(false)
  return stderr
}

test('work that takes its time is shown in one line on stderr with its seconds, and gone when it is done', async () => {
  expect(await statusTaking([100, 900, 2500], {})).toBe(
    [`⠋ Asking ${URL}`, `⠙ Asking ${URL} 1 s`, `⠹ Asking ${URL} 3 s`, ''].map((line) => CLEAR + line).join(''),
  )
})

test('progress is cut to the terminal’s width, because a line that wraps could not be taken away', async () => {
  expect(await statusTaking([12_000], { columns: 20 })).toBe(`${CLEAR}⠋ Asking https 12 s${CLEAR}`)
  expect(await statusTaking([12_000], { columns: 0 })).toBe(`${CLEAR}⠋ Asking ${URL} 12 s${CLEAR}`)
})

test('what is printed meanwhile takes the line’s place', async () => {
  const files = shopProject(['refund'])
  const runtime = files['.svc/runtime.ts']?.replace(
    'handler: () => ({})',
    "handler: () => { throw new Error('no till') }",
  )
  const timers = {
    now: () => 0,
    after: () => () => undefined,
    every: (_intervalMs: number, tick: () => void) => {
      tick()
      return () => undefined
    },
  }
  const { stderr } = await runSvc(
    createProject({ ...files, '.svc/runtime.ts': runtime ?? '' }),
    ['dev', 'call', 'refund', '--input', '{"id": "1"}'],
    { env: { TERM: 'xterm', NO_COLOR: '1' }, isTTY: true, timers },
  )
  expect(stderr).toContain(`${CLEAR}⠋ Calling refund${CLEAR}Error: no till\n`)
})

test('work that is done at once shows nothing', async () => {
  expect(await statusTaking([], {})).toBe('')
})

test.each([
  ['where stderr is no terminal', { isTTY: false }],
  ['in a pipeline', { env: { CI: 'true' } }],
  ['on a dumb terminal', { env: { TERM: 'dumb' } }],
  ['with --quiet', { args: ['--quiet'] }],
])('progress is not shown %s', async (_name, options) => {
  expect(await statusTaking([1000, 1000], options)).toBe('')
})
