import { RuntimeList } from '@svc/contract'
import { expect, test } from 'vitest'
import { refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { startForTest, type TestOwner, type TestService } from '../support/service.ts'

describeEngines('pages of runtimes', (engine) => {
  const database = useDatabase(engine)

  const start = () => startForTest(database())

  // holds LST-01, RT-16, RTR-01
  test('hold every runtime once, newest first, even if many began in one millisecond', async () => {
    const service = await start()
    const owner = await service.owner('enterprise')
    const made: string[] = []
    for (let index = 0; index < 23; index += 1) {
      if (index % 6 === 0) service.clock.advance(1)
      made.push((await service.runtime(owner)).runtimeId)
    }
    for (const limit of [1, 4, 6, 22, 23, 200]) {
      const pages = await allPages(service, owner, limit)
      expect(pages.map((page) => page.length)).toEqual(pageSizes(23, limit))
      const seen = pages.flat()
      expect(seen.map(({ runtimeId }) => runtimeId).sort()).toEqual([...made].sort())
      const times = seen.map(({ createdAt }) => createdAt)
      expect(times).toEqual([...times].sort().reverse())
    }
  })

  // holds LST-05
  test('neither repeat nor hide runtimes that are created between two pages', async () => {
    const service = await start()
    const owner = await service.owner('enterprise')
    const made = await Promise.all(Array.from({ length: 9 }, () => service.runtime(owner)))
    const first = await list(service, owner, '?limit=4')
    service.clock.advance(1)
    await service.runtime(owner)
    const second = await list(service, owner, `?limit=200&cursor=${first.nextCursor}`)
    const seen = [...first.runtimes, ...second.runtimes].map(({ runtimeId }) => runtimeId)
    expect(seen.sort()).toEqual(made.map(({ runtimeId }) => runtimeId).sort())
    expect(second.nextCursor).toBeNull()
  })

  test('hold 50 by default', async () => {
    const service = await start()
    const owner = await service.owner('enterprise')
    await Promise.all(Array.from({ length: 51 }, () => service.runtime(owner)))
    const page = await list(service, owner)
    expect(page.runtimes).toHaveLength(50)
    expect((await list(service, owner, `?cursor=${page.nextCursor}`)).runtimes).toHaveLength(1)
  })

  // holds AUTH-07, LST-07, RT-16
  test('are limited to one project by a filter; another owner’s project reads as absent', async () => {
    const service = await start()
    const [owner, other] = [await service.owner('pro'), await service.owner('pro')]
    const [{ projectId, runtimeId }, foreign] = [await service.runtime(owner), await service.runtime(other)]
    const found = await list(service, owner, `?projectId=${projectId}`)
    expect(found.runtimes.map((runtime) => runtime.runtimeId)).toEqual([runtimeId])
    const get = (id: string) => service.send('GET', `/v1/runtimes?projectId=${id}`, { key: owner.apiKey })
    const [absent, taken] = [await get('proj_nobody'), await get(foreign.projectId)]
    expect(refusalOf(taken, 'not_found')).toBe('The project was not found.')
    expect(taken.body).toBe(absent.body)
  })

  // holds LST-06
  test('show nothing of another owner with that owner’s cursor', async () => {
    const service = await start()
    const [owner, other] = [await service.owner('pro'), await service.owner('pro')]
    await Promise.all([service.runtime(other), service.runtime(other), service.runtime(other)])
    const own = await service.runtime(owner)
    const { nextCursor } = await list(service, other, '?limit=1')
    const seen = await list(service, owner, `?cursor=${nextCursor}`)
    expect(seen.runtimes.filter(({ runtimeId }) => runtimeId !== own.runtimeId)).toEqual([])
  })
})

async function list(service: TestService, owner: TestOwner, query = ''): Promise<RuntimeList> {
  const answer = await service.send('GET', `/v1/runtimes${query}`, { key: owner.apiKey })
  const sent: unknown = answer.json()
  const page = RuntimeList.parse(sent)
  expect(sent).toEqual(page)
  return page
}

async function allPages(service: TestService, owner: TestOwner, limit: number): Promise<RuntimeList['runtimes'][]> {
  const pages: RuntimeList['runtimes'][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: RuntimeList = await list(service, owner, `?limit=${limit}${cursor && `&cursor=${cursor}`}`)
    pages.push(page.runtimes)
    cursor = page.nextCursor
  }
  return pages
}

function pageSizes(total: number, limit: number): number[] {
  return Array.from({ length: Math.ceil(total / limit) }, (_, index) => Math.min(limit, total - index * limit))
}
