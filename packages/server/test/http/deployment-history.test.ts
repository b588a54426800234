import { abbreviateKey, DeploymentDetail, DeploymentList, DeployResponse } from '@svc/contract'
import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { deploymentDetail, listOwnDeployments } from '../../src/deployments/history.ts'
import { encodeCursor } from '../../src/store/page.ts'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { deployed } from '../support/scene.ts'
import { capability, startForTest, type TestService } from '../support/service.ts'

describeEngines('the deployment history of a runtime', (engine) => {
  const database = useDatabase(engine)

  async function start() {
    const service = await startForTest(database())
    const owner = await service.owner('pro')
    const runtime = await service.runtime(owner)
    const get = (path: string) => service.send('GET', `/v1/runtimes/${runtime.runtimeId}${path}`, { key: owner.apiKey })
    const list = async (query = '') => DeploymentList.parse((await get(`/deployments${query}`)).json())
    return { service, owner, runtime, get, list }
  }

  test('is empty before the first deployment', async () => {
    const { list, get } = await start()
    expect(await list()).toEqual({ deployments: [], nextCursor: null })
    expect(refusalOf(await get('/deployments/1'), 'not_found')).toBe('The deployment was not found.')
  })

  // holds DEP-05, DEP-22
  test('shows the newest as active, all others as superseded, and each as it was sent', async () => {
    const { service, runtime, get, list } = await start()
    const manifests = [
      {
        capabilities: [
          {
            ...capability('one'),
            actions: [{ name: 'one', description: 'Counts.', permissions: ['count:one'] }],
            metadata: { team: 'core' },
          },
        ],
        agent: { instructions: 'Be brief.' },
      },
      { capabilities: [capability('one'), capability('two')], website: { name: 'Shop' } },
      { capabilities: [] },
    ]
    const times: string[] = []
    for (const manifest of manifests) {
      service.clock.advance(1_000)
      times.push(isoNow(service))
      await deployed(service, runtime, manifest)
    }
    const sent = { frozen: null, source: null, deployedBy: abbreviateKey(runtime.deployKey) }
    expect((await list()).deployments).toEqual([
      { version: 3, status: 'active', deployedAt: times[2], capabilityCount: 0, traffic: 100, ...sent },
      { version: 2, status: 'superseded', deployedAt: times[1], capabilityCount: 2, traffic: 0, ...sent },
      { version: 1, status: 'superseded', deployedAt: times[0], capabilityCount: 1, traffic: 0, ...sent },
    ])
    for (const [index, item] of (await list()).deployments.reverse().entries()) {
      const sent: unknown = (await get(`/deployments/${index + 1}`)).json()
      expect(DeploymentDetail.parse(sent)).toEqual(sent)
      expect(sent).toMatchObject({ ...item, manifest: { schemaVersion: 2, ...manifests[index] } })
    }
  })

  // holds DEP-30
  test('shows author and commit as they were sent, and refuses what is neither', async () => {
    const { service, runtime, get, list } = await start()
    const { deployKey: key } = runtime
    const send = (source: unknown) => {
      const manifest = { schemaVersion: 2, capabilities: [] }
      return service.send('POST', '/v1/deployments', { key, body: { manifest, source } })
    }
    const source = { author: 'Ada Lovelace', commit: '1f'.repeat(20), dirty: true }
    expect((await send(source)).statusCode).toBe(201)
    expect((await list()).deployments).toMatchObject([{ source, deployedBy: abbreviateKey(key) }])
    expect((await get('/deployments/1')).json()).toMatchObject({ source, deployedBy: abbreviateKey(key) })
    expect((await service.send('GET', '/v1/runtime/deployment', { key })).json()).toMatchObject({ source })
    const commit = 'must be the hash of a commit: 7 to 64 characters of 0-9 and a-f.'
    expect(faultsIn(await send({ commit: 'main' }))).toEqual({ 'source.commit': [commit] })
    expect(Object.keys(faultsIn(await send({ author: 'n'.repeat(201), dirty: 'yes', email: 'x' })))).toEqual([
      ...['source.author', 'source.dirty', 'source.email'],
    ])
    expect((await send({})).statusCode).toBe(201)
    expect((await list()).deployments).toHaveLength(2)
  })

  // holds DEP-21
  test('is paged: each number appears once, even with concurrent deployments', async () => {
    const { service, runtime, list } = await start()
    for (let count = 0; count < 7; count += 1) await deployed(service, runtime)
    const first = await list('?limit=3')
    expect(first.deployments.map(({ version }) => version)).toEqual([7, 6, 5])
    expect(DeployResponse.parse((await service.deploy(runtime)).json()).version).toBe(8)
    const second = await list(`?limit=3&cursor=${first.nextCursor}`)
    const third = await list(`?limit=3&cursor=${second.nextCursor}`)
    expect(second.deployments.map(({ version, status }) => [version, status])).toEqual([
      [4, 'superseded'],
      [3, 'superseded'],
      [2, 'superseded'],
    ])
    expect(third.deployments.map(({ version }) => version)).toEqual([1])
    expect(third.nextCursor).toBeNull()
  })

  test('refuses a cursor of another list, or one that no page returned', async () => {
    const { service, runtime, get } = await start()
    await deployed(service, runtime)
    const starts = [
      { at: service.clock.now(), id: 'exec_abc' },
      { at: service.clock.now(), id: String(service.clock.now()) },
      { at: -3, id: '-3' },
      { at: 0, id: '0' },
      { at: 3, id: 'exec_abc' },
    ]
    for (const start of starts) {
      expect([start, faultsIn(await get(`/deployments?cursor=${encodeCursor(start)}`))]).toEqual([
        start,
        { cursor: ['is not a cursor of this listing: pass a nextCursor as it was returned.'] },
      ])
    }
  })

  test('always has exactly one active deployment during a concurrent deployment', async () => {
    const { service, owner, runtime } = await start()
    await deployed(service, runtime)
    const { runtimeId } = runtime
    const list = { runtimeId, limit: 10, cursor: null }
    const after = (results: number) =>
      service.deps.db.withPlugin(afterResults(results, () => deployed(service, runtime)))
    const { deployments } = await listOwnDeployments({ db: after(1) }, owner, list)
    expect(deployments.map(({ version, status }) => [version, status])).toEqual([
      [2, 'active'],
      [1, 'superseded'],
    ])
    // Its size and the deployment are read before it comes.
    const third = { runtimeId, version: 3, reserve: () => undefined }
    const asked = deploymentDetail({ db: after(2) }, owner, third)
    await expect(asked).rejects.toThrow('The deployment was not found.')
    expect(await deploymentDetail({ db: after(2) }, owner, third)).toMatchObject({ version: 3, status: 'superseded' })
  })

  test('refuses a malformed number, and answers 404 to an unknown one', async () => {
    const { service, runtime, get } = await start()
    await deployed(service, runtime)
    for (const version of ['0', '-1', '1.5', 'latest', '01', '1234567890']) {
      expect([version, faultsIn(await get(`/deployments/${version}`))]).toEqual([
        version,
        { version: ['must be the number of a deployment, such as 3.'] },
      ])
    }
    refusalOf(await get('/deployments/2'), 'not_found')
  })

  test('of another owner’s runtime is a 404', async () => {
    const { service, runtime } = await start()
    await deployed(service, runtime)
    const otherOwner = await service.owner('pro')
    for (const path of ['/deployments', '/deployments/1']) {
      const ask = (id: string) => service.send('GET', `/v1/runtimes/${id}${path}`, { key: otherOwner.apiKey })
      const [foreign, absent] = [await ask(runtime.runtimeId), await ask('rt_nobody')]
      expect(refusalOf(foreign, 'not_found')).toBe('The runtime was not found.')
      expect(foreign.body).toBe(absent.body)
    }
  })
})

/** Acts once so many results have come, before the last of them is told. */
function afterResults(count: number, act: () => Promise<unknown>): KyselyPlugin {
  let results = 0
  return {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      results += 1
      if (results === count) await act()
      return result
    },
  }
}

function isoNow({ clock }: TestService): string {
  return new Date(clock.now()).toISOString()
}
