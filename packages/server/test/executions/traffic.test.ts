import {
  AccountEventList,
  DeploymentList,
  type DeploymentListItem,
  DeployResponse,
  RuntimeStatus,
  TrafficReport,
} from '@svc/contract'
import { startOwnerEndpoint } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { decide, decided } from '../support/approvals.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { type ReplicatedScene, setReplicatedScene } from '../support/replicas.ts'
import { deployed, executed, type Scene, type SceneOptions, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability, deployBody } from '../support/service.ts'

const CANDIDATE = { capabilities: [capability('echo'), capability('added')], agent: { instructions: 'Candidate.' } }

/** Deploys a candidate. */
async function deployCandidate(scene: Scene, asked: { traffic?: number; promote?: false }, manifest = {}) {
  const { service, runtime } = scene
  const body = { ...deployBody({ ...CANDIDATE, ...manifest }), ...asked }
  const answer = await service.send('POST', '/v1/deployments', { key: runtime.deployKey, body })
  expect(answer.statusCode).toBe(201)
  return DeployResponse.parse(answer.json())
}

function promote({ service, runtime }: Scene, version: number | string, body?: object) {
  const path = `/v1/deployments/${version}/promote`
  return service.send('POST', path, { key: runtime.deployKey, ...(body && { body }) })
}

function ofOwner({ service, owner }: Scene, path: string) {
  return service.send('GET', path, { key: owner.apiKey })
}

async function listed(scene: Scene): Promise<Pick<DeploymentListItem, 'version' | 'status' | 'traffic'>[]> {
  const answer = await ofOwner(scene, `/v1/runtimes/${scene.runtime.runtimeId}/deployments`)
  return DeploymentList.parse(answer.json()).deployments.map(({ version, status, traffic }) => {
    return { version, status, traffic }
  })
}

async function trafficOf(scene: Scene): Promise<TrafficReport> {
  return TrafficReport.parse((await ofOwner(scene, `/v1/runtimes/${scene.runtime.runtimeId}/traffic`)).json())
}

async function eventsOf(scene: Scene) {
  return AccountEventList.parse((await ofOwner(scene, '/v1/events')).json()).events
}

/** The deployments that executions ran on, by their traces. */
async function versionsOf(scene: Scene, bodies: readonly object[]): Promise<(number | null)[]> {
  const versions: (number | null)[] = []
  for (const body of bodies) {
    const { executionId } = executed(await scene.execute({ ...saying(), ...body }))
    versions.push((await scene.trace(executionId)).deploymentVersion)
  }
  return versions
}

describeEngines('a candidate', (engine) => {
  const database = useDatabase(engine)

  // holds TRAF-01
  test('serves nobody until it is given a share or promoted, and then what it was given', async () => {
    const scene = await setScene(database(), { tier: 'pro', random: () => 0.5 })
    expect(await deployCandidate(scene, { promote: false })).toMatchObject({ version: 2, status: 'candidate' })
    expect(await versionsOf(scene, [{}])).toEqual([1])
    expect((await promote(scene, 2, { traffic: 51 })).json()).toEqual({ version: 2, status: 'candidate' })
    expect(await versionsOf(scene, [{}])).toEqual([2])
    expect(await listed(scene)).toEqual([
      { version: 2, status: 'candidate', traffic: 51 },
      { version: 1, status: 'active', traffic: 49 },
    ])
    const status = await scene.service.send('GET', '/v1/runtime/status', { key: scene.runtime.deployKey })
    expect(RuntimeStatus.parse(status.json())).toMatchObject({
      deployment: { version: 1, status: 'active' },
      candidate: { version: 2, traffic: 51, frozen: null },
      capabilities: ['echo'],
    })
    expect((await promote(scene, 'candidate')).json()).toEqual({ version: 2, status: 'active' })
    expect(await versionsOf(scene, [{}])).toEqual([2])
    expect(await trafficOf(scene)).toMatchObject({ stable: { version: 2, traffic: 100 }, candidate: null })
    expect(await eventsOf(scene)).toMatchObject([
      { type: 'deployment.promoted', data: { version: 2, replacedVersion: 1 } },
      { type: 'deployment.promoted', data: { version: 1, replacedVersion: null } },
    ])
  })

  // holds TRAF-03
  test('is not in the manifest, the broker or MCP, which show and serve the stable deployment', async () => {
    const website = { name: 'Shop', url: 'https://shop.example.com' }
    const scene = await setScene(database(), { manifest: { website } })
    await deployCandidate(scene, { traffic: 100 }, { website })
    const { runtimeId } = scene.runtime
    const manifest = (await scene.service.send('GET', `/v1/runtime/${runtimeId}/manifest`)).json()
    expect(manifest.capabilities).toHaveLength(1)
    expect((await scene.broker('added')).statusCode).toBe(404)
    const { executionId } = (await scene.broker('echo')).json()
    expect((await scene.trace(executionId)).deploymentVersion).toBe(1)
    const called = (await scene.call({ capability: 'added' })).json()
    expect((await scene.trace(called.executionId)).deploymentVersion).toBe(2)
    expect(await versionsOf(scene, [{}])).toEqual([2])
    expect(scene.service.model.requests.at(-1)?.instructions).toBe('Candidate.')
  })

  // holds TRAF-05
  test('is promoted or rolled back to by number, or without one to what was stable before', async () => {
    const scene = await setScene(database())
    await deployed(scene.service, scene.runtime, CANDIDATE)
    expect((await promote(scene, 'previous')).json()).toEqual({ version: 1, status: 'active' })
    // A second rollback does not undo the first.
    expect(refusalOf(await promote(scene, 'previous'), 'not_found')).toContain('stable before')
    expect((await promote(scene, 2)).json()).toEqual({ version: 2, status: 'active' })
    const path = `/v1/runtimes/${scene.runtime.runtimeId}/deployments/1/promote`
    const owners = await scene.service.send('POST', path, { key: scene.owner.apiKey, body: {} })
    expect(owners.json()).toEqual({ version: 1, status: 'active' })
    expect(await trafficOf(scene)).toMatchObject({ stable: { version: 1 }, previousVersion: null })
    // The numbers go on from the newest.
    expect(await deployCandidate(scene, { traffic: 0 })).toMatchObject({ version: 3 })
    expect(refusalOf(await promote(scene, 4), 'not_found')).toBe('The deployment was not found.')
    expect(faultsIn(await promote(scene, 1, { traffic: 5 }))).toEqual({
      traffic: [expect.stringContaining('this deployment is the stable one')],
    })
    // A promotion ends the candidate.
    expect((await promote(scene, 1)).json()).toEqual({ version: 1, status: 'active' })
    expect(refusalOf(await promote(scene, 'candidate'), 'not_found')).toContain('candidate')
    expect(await eventsOf(scene)).toHaveLength(5)
  })

  test('needs a stable deployment for a share, and none without one', async () => {
    const scene = await setScene(database(), { manifest: null })
    const body = { ...deployBody(CANDIDATE), traffic: 5 }
    const refused = await scene.service.send('POST', '/v1/deployments', { key: scene.runtime.deployKey, body })
    expect(faultsIn(refused)).toEqual({ traffic: [expect.stringContaining('promote one first')] })
    expect(refusalOf(await promote(scene, 'previous'), 'not_found')).toContain('stable before')
    await deployCandidate(scene, { promote: false })
    expect(await versionsOf(scene, [{}])).toEqual([null])
    expect((await promote(scene, 1)).json()).toEqual({ version: 1, status: 'active' })
    const both = { ...deployBody(CANDIDATE), traffic: 5, promote: true }
    const told = await scene.service.send('POST', '/v1/deployments', { key: scene.runtime.deployKey, body: both })
    expect(faultsIn(told)).toEqual({ traffic: [expect.stringContaining('promote: true')] })
  })

  test('is called at its own endpoint, which the runtime gets once it is promoted', async () => {
    const scene = await setScene(database())
    const other = await startOwnerEndpoint({
      handle: { echo: () => ({ output: 'candidate' }) },
      now: () => scene.service.clock.now(),
    })
    onTestFinished(() => other.close())
    other.trust({ runtimeId: scene.runtime.runtimeId, secrets: [scene.runtime.secret] })
    await deployCandidate(scene, { traffic: 100 }, { endpoint: other.url })
    expect((await scene.call({ capability: 'echo' })).json().output).toBe('candidate')
    expect((await scene.broker('echo')).json().output).toEqual({})
    await promote(scene, 'candidate')
    expect((await scene.broker('echo')).json().output).toBe('candidate')
  })
})

/** Lets both replicas remember the runtime. */
async function setSplit(engine: Parameters<typeof setReplicatedScene>[0], options: SceneOptions = {}) {
  const scenes = await setReplicatedScene(engine, { tier: 'enterprise', ...options })
  await scenes.b.execute()
  return scenes
}

/** Calls through a replica; bad ones fail in the capability. */
async function call({ call }: Scene, { token, isBad = false }: { token: string; isBad?: boolean }): Promise<void> {
  const answer = await call({ capability: 'echo', input: { text: isBad ? 'bad' : 'good' }, endUserToken: token })
  expect(answer.statusCode).toBe(200)
}

const FAILING: SceneOptions = {
  handle: {
    echo: ({ input }) => (input['text'] === 'bad' ? { output: null, error: { message: 'Broken.' } } : { output: {} }),
  },
}

/** Users by the side on which they are. */
async function usersBySide({ a }: ReplicatedScene): Promise<{ stable: string[]; candidate: string[] }> {
  // Chance puts each on a side: of 40, fewer than three are on one of them once in a billion runs.
  const tokens = Array.from({ length: 40 }, (_, index) => `token-of-user-${index}`)
  const versions = await versionsOf(
    a,
    tokens.map((endUserToken) => ({ endUserToken })),
  )
  const on = (version: number) => tokens.filter((_, index) => versions[index] === version)
  return { stable: on(1), candidate: on(2) }
}

function jwtOf(claims: object): string {
  const [header, payload] = [{ alg: 'ES256' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return `${header}.${payload}.c2lnbmF0dXJl`
}

describeEngines('the split on two replicas', (engine) => {
  // holds TRAF-02
  test('keeps one end user and one conversation on one side, and holds from the next request on', async () => {
    const scenes = await setSplit(engine)
    const { a, b } = scenes
    await deployCandidate(a, { traffic: 50 })
    const { stable, candidate } = await usersBySide(scenes)
    expect(Math.min(stable.length, candidate.length)).toBeGreaterThan(2)
    const ofUsers = (tokens: string[]) => tokens.slice(0, 3).map((endUserToken) => ({ endUserToken }))
    expect(new Set(await versionsOf(b, ofUsers(stable)))).toEqual(new Set([1]))
    expect(new Set(await versionsOf(b, ofUsers(candidate)))).toEqual(new Set([2]))
    const talks = Array.from({ length: 32 }, (_, index) => ({ metadata: { conversationId: `talk-${index}` } }))
    const onA = await versionsOf(a, talks)
    expect(new Set(onA).size).toBe(2)
    expect(await versionsOf(b, talks)).toEqual(onA)
    // A renewed JWT is of the same user.
    const renewed = (exp: number) => talks.map((_, index) => ({ endUserToken: jwtOf({ sub: `user-${index}`, exp }) }))
    const before = await versionsOf(a, renewed(1))
    expect(new Set(before).size).toBe(2)
    expect(await versionsOf(b, renewed(2))).toEqual(before)
    await promote(a, 2, { traffic: 0 })
    expect(new Set(await versionsOf(b, ofUsers(candidate)))).toEqual(new Set([1]))
  })

  // holds TRAF-04, TRAF-07
  test('a candidate that fails more often is frozen on both, told of, and unfrozen by a new share', async () => {
    const scenes = await setSplit(engine, FAILING)
    const { a, b } = scenes
    await deployCandidate(a, { traffic: 50 })
    const { stable, candidate } = await usersBySide(scenes)
    await promote(a, 2, { traffic: 50 })
    for (const [index, token] of Array.from({ length: 30 }, (_, at) => at).entries()) {
      await call(a, { token: stable[index % stable.length] ?? '' })
      await call(index % 2 === 0 ? a : b, { token: candidate[token % candidate.length] ?? '', isBad: true })
    }
    // Counts begin where the share was set: not with the executions before.
    const { counts } = (await trafficOf(a)).candidate ?? {}
    expect(counts).toMatchObject({ executions: 30, bad: 30, failed: 30 })
    const report = await trafficOf(a)
    expect(report).toMatchObject({
      stable: { traffic: 100, counts: { executions: 30, bad: 0 } },
      candidate: { traffic: 0 },
    })
    expect(report.candidate?.frozen?.reason).toContain('30 of 30 (100.0 %) executions were bad')
    const [first] = candidate
    expect(await versionsOf(b, [{ endUserToken: first }])).toEqual([1])
    const frozen = (await eventsOf(a)).filter(({ type }) => type === 'deployment.frozen')
    expect(frozen).toMatchObject([{ runtimeId: a.runtime.runtimeId, data: { version: 2 } }])
    expect(faultsIn(await promote(a, 'candidate'))).toEqual({
      version: [expect.stringContaining('Promote it by its number, 2,')],
    })
    await promote(a, 'candidate', { traffic: 50 })
    expect(await trafficOf(a)).toMatchObject({ candidate: { frozen: null, traffic: 50, counts: { executions: 0 } } })
    expect(await versionsOf(b, [{ endUserToken: first }])).toEqual([2])
  })
})

describeEngines('what the stable deployment served before a candidate', (engine) => {
  const database = useDatabase(engine)

  // holds TRAF-04
  test('is compared with it, too: the latest day, without what a candidate gets none of', async () => {
    const scene = await setScene(database(), { tier: 'enterprise', ...FAILING })
    const earlier = () =>
      scene.database.db.selectFrom('candidates').select(['earlier_executions', 'earlier_bad']).executeTakeFirst()
    await call(scene, { token: 'somebody', isBad: true })
    scene.service.clock.advance(25 * 3_600_000)
    await scene.service.renew()
    for (let turn = 0; turn < 12; turn += 1) await call(scene, { token: 'somebody', isBad: turn % 6 === 0 })
    await scene.broker('echo', { input: { text: 'bad' } })
    await deployCandidate(scene, { traffic: 50 })
    expect(await earlier()).toEqual({ earlier_executions: 12, earlier_bad: 2 })
    await deployed(scene.service, scene.runtime, CANDIDATE)
    await promote(scene, 1, { traffic: 50 })
    expect(await earlier()).toEqual({ earlier_executions: 0, earlier_bad: 0 })
  })
})

describeEngines('an approval that a candidate asked for', (engine) => {
  const database = useDatabase(engine)

  test('is dispatched to the endpoint of its preview', async () => {
    const scene = await setScene(database())
    const { service, runtime } = scene
    const other = await startOwnerEndpoint({
      handle: { buy: () => ({ output: 'bought' }) },
      now: () => service.clock.now(),
    })
    onTestFinished(() => other.close())
    other.trust({ runtimeId: runtime.runtimeId, secrets: [runtime.secret] })
    const capabilities = [capability('buy', { confirm: true })]
    await deployCandidate(scene, { traffic: 100 }, { endpoint: other.url, capabilities })
    service.model.say(calls({ name: 'buy', input: {} }), text('Done.'))
    const [approval] = executed(await scene.execute()).approvals ?? []
    if (!approval) throw new Error('no approval was asked for')
    expect(decided(await decide(scene, approval))).toMatchObject({ status: 'approved', result: { output: 'bought' } })
  })

  // holds TRAF-04
  test('counts against it once it fails, and once for each execution', async () => {
    const buy = () => ({ output: null, error: { message: 'Sold out.' } })
    const scene = await setScene(database(), { handle: { buy } })
    await deployCandidate(scene, { traffic: 100 }, { capabilities: [capability('buy', { confirm: true })] })
    const twice = calls({ name: 'buy', input: { text: 'a' } }, { name: 'buy', input: { text: 'b' } })
    scene.service.model.say(twice, text('Done.'))
    const approvals = executed(await scene.execute()).approvals ?? []
    expect((await trafficOf(scene)).candidate?.counts).toMatchObject({ executions: 1, bad: 0 })
    for (const approval of approvals) {
      expect(decided(await decide(scene, approval))).toMatchObject({ outcome: 'failed' })
      expect((await trafficOf(scene)).candidate?.counts).toMatchObject({ executions: 1, bad: 1, failed: 0 })
    }
    expect(approvals).toHaveLength(2)
    // Under another share nothing of it counts.
    scene.service.model.say(twice, text('Done.'))
    const [late] = executed(await scene.execute()).approvals ?? []
    await promote(scene, 2, { traffic: 100 })
    if (late) await decide(scene, late)
    expect((await trafficOf(scene)).candidate?.counts).toMatchObject({ executions: 0, bad: 0 })
  })
})
