import { Project, ProjectList, RuntimeList } from '@svc/contract'
import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { startForTest, type TestOwner, type TestService } from '../support/service.ts'

const many = <T>(count: number, ask: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)))

describeEngines('projects', (engine) => {
  const database = useDatabase(engine)

  async function start() {
    const service = await startForTest(database())
    const owner = await service.owner('pro')
    return { service, owner, ...actions(service, owner) }
  }

  describe('the default project', () => {
    // holds PRJ-01, PRJ-02
    test('exists from the first use on, and takes runtimes without a project', async () => {
      const { service, owner, list } = await start()
      const at = new Date(service.clock.now()).toISOString()
      const { projects, nextCursor } = await list()
      expect(nextCursor).toBeNull()
      expect(projects).toEqual([
        {
          projectId: expect.stringMatching(/^proj_/),
          name: 'Default',
          description: null,
          isDefault: true,
          runtimeCount: 0,
          createdAt: at,
          updatedAt: at,
        },
      ])
      const { projectId } = await service.runtime(owner)
      expect(projectId).toBe(projects[0]?.projectId)
      expect((await list()).projects).toEqual([{ ...projects[0], runtimeCount: 1 }])
    })

    // holds PRJ-01
    test('is created once by concurrent first uses of any kind', async () => {
      const { service, owner, list } = await start()
      const uses = await many(30, async (index) => {
        if (index % 6 === 0) return [(await service.runtime(owner)).projectId]
        return (await list()).projects.map(({ projectId }) => projectId)
      })
      expect(uses.map((ids) => ids.length)).toEqual(uses.map(() => 1))
      expect(new Set(uses.flat()).size).toBe(1)
      expect((await list()).projects).toHaveLength(1)
    })

    test('can be renamed, and stays the default project', async () => {
      const { service, owner, list, change } = await start()
      const [made] = (await list()).projects
      const renamed = shownBy(await change(made?.projectId ?? '', { name: 'Shops' }), 200)
      expect(renamed).toEqual({ ...made, name: 'Shops' })
      expect((await service.runtime(owner)).projectId).toBe(made?.projectId)
      expect((await list()).projects).toEqual([{ ...renamed, runtimeCount: 1 }])
    })
  })

  // holds PRJ-04, PRJ-05, PRJ-07
  test('a new project is answered, fetched and listed alike', async () => {
    const { service, list, create, read } = await start()
    const at = new Date(service.clock.now()).toISOString()
    const made = shownBy(await create({ name: '  Shops of Europe ', description: ' All that sell. ' }), 201)
    expect(made).toEqual({
      projectId: expect.stringMatching(/^proj_[0-9A-HJKMNP-TV-Z]{26}$/),
      name: 'Shops of Europe',
      description: 'All that sell.',
      isDefault: false,
      runtimeCount: 0,
      createdAt: at,
      updatedAt: at,
    })
    expect(shownBy(await read(made.projectId), 200)).toEqual(made)
    expect((await list()).projects).toContainEqual(made)
    const plain = shownBy(await create({ name: 'Shops of Europe' }), 201)
    expect(plain).toMatchObject({ name: made.name, description: null })
    expect(plain.projectId).not.toBe(made.projectId)
  })

  // holds PRJ-06
  test('a change affects the given fields alone', async () => {
    const { service, create, read, change } = await start()
    const made = shownBy(await create({ name: 'Shops', description: 'All that sell.' }), 201)
    const steps = [
      [{ name: 'Stores' }, { name: 'Stores' }],
      [{ description: 'Few.' }, { description: 'Few.' }],
      [
        { name: 'Shops', description: null },
        { name: 'Shops', description: null },
      ],
      [{ description: '' }, { description: '' }],
    ] as const
    let expected = made
    for (const [changes, effect] of steps) {
      service.clock.advance(1_000)
      const updatedAt = new Date(service.clock.now()).toISOString()
      expected = { ...expected, ...effect, updatedAt }
      expect(shownBy(await change(made.projectId, changes), 200)).toEqual(expected)
      expect(shownBy(await read(made.projectId), 200)).toEqual(expected)
    }
  })

  // holds PRJ-04
  test('names have 1 to 100 characters and descriptions at most 1000, without surrounding blanks', async () => {
    const { create, change } = await start()
    const { projectId } = shownBy(await create({ name: 'n'.repeat(100), description: 'd'.repeat(1_000) }), 201)
    shownBy(await change(projectId, { name: ` ${'m'.repeat(100)} ` }), 200)
    for (const name of ['', '   ', 'n'.repeat(101)]) {
      expect(Object.keys(faultsIn(await create({ name })))).toEqual(['name'])
      expect(Object.keys(faultsIn(await change(projectId, { name })))).toEqual(['name'])
    }
    const description = 'd'.repeat(1_001)
    expect(Object.keys(faultsIn(await create({ name: 'n', description })))).toEqual(['description'])
    expect(Object.keys(faultsIn(await change(projectId, { description })))).toEqual(['description'])
    expect(faultsIn(await change(projectId, {}))).toEqual({ body: ['needs “name” or “description”.'] })
  })

  // holds PRJ-07
  test('runtimes are counted in their current project, and move with their registration', async () => {
    const { service, owner, list, create } = await start()
    const shops = shownBy(await create({ name: 'Shops' }), 201)
    const counts = async () =>
      Object.fromEntries((await list()).projects.map(({ name, runtimeCount }) => [name, runtimeCount]))
    const [first] = [await service.runtime(owner), await service.runtime(owner)]
    await service.runtime(owner, { projectId: shops.projectId })
    expect(await counts()).toEqual({ Default: 2, Shops: 1 })
    const body = { runtimeId: first?.runtimeId, name: 'Shop', projectId: shops.projectId }
    expect((await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body })).statusCode).toBe(200)
    expect(await counts()).toEqual({ Default: 1, Shops: 2 })
    const inShops = await service.send('GET', `/v1/runtimes?projectId=${shops.projectId}`, { key: owner.apiKey })
    expect(RuntimeList.parse(inShops.json()).runtimes).toHaveLength(2)
  })

  // holds PRJ-03
  test('the pages of a list hold every project once, newest first, even if many began in one millisecond', async () => {
    const { service, list, create } = await start()
    const made = (await list()).projects.map(({ projectId }) => projectId)
    for (let index = 0; index < 13; index += 1) {
      if (index % 5 === 0) service.clock.advance(1)
      made.push(shownBy(await create({ name: `Project ${index}` }), 201).projectId)
    }
    for (const limit of [1, 4, 7, 13, 14, 200]) {
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: ProjectList = await list(`?limit=${limit}${cursor && `&cursor=${cursor}`}`)
        expect(page.projects.length).toBe(Math.min(limit, made.length - seen.length))
        seen.push(...page.projects.map(({ projectId }) => projectId))
        cursor = page.nextCursor
      }
      expect(seen).toEqual(made.toReversed())
    }
    const first = await list('?limit=4')
    service.clock.advance(1)
    await create({ name: 'One more' })
    const rest = await list(`?cursor=${first.nextCursor}`)
    const ids = [...first.projects, ...rest.projects].map(({ projectId }) => projectId)
    expect(ids).toEqual(made.toReversed())
  })

  // holds PRJ-09
  test('an account has at most 100 projects beside the default one, even with concurrent requests', async () => {
    const { service, owner, list, create, change } = await start()
    await list()
    const row = { owner_id: owner.ownerId, is_default: 0, created_at: 0, updated_at: 0 } as const
    const made = Array.from({ length: 97 }, (_, index) => ({
      ...row,
      project_id: `${owner.ownerId}_${index}`,
      name: 'n',
    }))
    await database().db.insertInto('projects').values(made).execute()
    const answers = await many(20, (index) => create({ name: `Project ${index}` }))
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(3)
    const refused = answers.filter(({ statusCode }) => statusCode !== 201)
    for (const answer of refused) expect(refusalOf(answer, 'forbidden')).toMatch(/100 projects beside its default one/)
    const { projects } = await list('?limit=200')
    expect(projects).toHaveLength(101)
    expect(projects.filter(({ isDefault }) => isDefault)).toHaveLength(1)
    shownBy(await change(projects[0]?.projectId ?? '', { name: 'Used again' }), 200)
    const other = await service.owner()
    shownBy(await actions(service, other).create({ name: 'Shops' }), 201)
  })

  // holds PRJ-08
  test('another owner’s project reads as absent, cannot be changed, and cannot be reached by a cursor', async () => {
    const { service, owner, list, create, read } = await start()
    const made = shownBy(await create({ name: 'Shops' }), 201)
    const otherOwner = await service.owner()
    const theirs = actions(service, otherOwner)
    const absentId = service.deps.newId('project')
    const asks = [
      theirs.read,
      (id: string) => theirs.change(id, { name: 'Taken' }),
      (id: string) => service.send('GET', `/v1/runtimes?projectId=${id}`, { key: otherOwner.apiKey }),
      (id: string) => service.send('GET', `/v1/executions?projectId=${id}`, { key: otherOwner.apiKey }),
      (id: string) =>
        service.send('POST', '/v1/runtimes', { key: otherOwner.apiKey, body: { name: 'Shop', projectId: id } }),
    ]
    for (const ask of asks) {
      const [foreign, absent] = [await ask(made.projectId), await ask(absentId)]
      expect(refusalOf(foreign, 'not_found')).toBe('The project was not found.')
      expect(foreign.body).toBe(absent.body)
      expect(Object.keys(foreign.headers)).toEqual(Object.keys(absent.headers))
    }
    expect(shownBy(await read(made.projectId), 200)).toEqual(made)
    const { nextCursor } = await list('?limit=1')
    const { projects } = await theirs.list(`?cursor=${nextCursor}`)
    expect(projects.filter(({ isDefault }) => !isDefault)).toEqual([])
    expect((await service.runtime(owner, { projectId: made.projectId })).projectId).toBe(made.projectId)
  })
})

function actions(service: TestService, { apiKey: key }: TestOwner) {
  return {
    async list(query = ''): Promise<ProjectList> {
      const answer = await service.send('GET', `/v1/projects${query}`, { key })
      expect(answer.statusCode).toBe(200)
      const sent: unknown = answer.json()
      expect(ProjectList.parse(sent)).toEqual(sent)
      return ProjectList.parse(sent)
    },
    create: (body: object) => service.send('POST', '/v1/projects', { key, body }),
    read: (projectId: string) => service.send('GET', `/v1/projects/${projectId}`, { key }),
    change: (projectId: string, body: object) => service.send('PATCH', `/v1/projects/${projectId}`, { key, body }),
  }
}

function shownBy(answer: LightMyRequestResponse, status: 200 | 201): Project {
  expect([answer.statusCode, answer.body]).toEqual([status, expect.any(String)])
  const sent: unknown = answer.json()
  const project = Project.parse(sent)
  expect(sent).toEqual(project)
  return project
}
