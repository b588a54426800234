import { expect, test } from 'vitest'
import { parseAdminCommand } from '../../src/admin/parse-command.ts'

test.each([
  ['create-owner --email ada@example.com', { name: 'create-owner', email: 'ada@example.com' }],
  ['create-owner --email=ada@example.com --tier pro', { name: 'create-owner', email: 'ada@example.com', tier: 'pro' }],
  [
    '--tier enterprise --email ada@example.com create-owner',
    { name: 'create-owner', email: 'ada@example.com', tier: 'enterprise' },
  ],
  ['set-tier --email Ada@Example.com --tier free', { name: 'set-tier', email: 'Ada@Example.com', tier: 'free' }],
  ['set-password --email ada@example.com', { name: 'set-password', email: 'ada@example.com' }],
  ['reset-password --email ada@example.com', { name: 'reset-password', email: 'ada@example.com' }],
  ['disable-totp --email ada@example.com', { name: 'disable-totp', email: 'ada@example.com' }],
  ['backup --to /var/backups/svc/1', { name: 'backup', to: '/var/backups/svc/1', 'with-master-key': false }],
  ['backup --with-master-key --to=1', { name: 'backup', to: '1', 'with-master-key': true }],
  ['restore --from /var/backups/svc/1', { name: 'restore', from: '/var/backups/svc/1' }],
  ['list-keys --email ada@example.com', { name: 'list-keys', email: 'ada@example.com' }],
  ['revoke-key --email ada@example.com --key key_1', { name: 'revoke-key', email: 'ada@example.com', key: 'key_1' }],
  ['prune', { name: 'prune', 'dry-run': false }],
  [
    'prune --before 2026-03-01 --keep-deployments 5 --dry-run',
    { name: 'prune', before: Date.parse('2026-03-01T00:00:00Z'), 'keep-deployments': 5, 'dry-run': true },
  ],
  ['recount', { name: 'recount' }],
])('%s', (line, command) => {
  expect(parseAdminCommand(line.split(' '))).toEqual({ ok: true, command })
})

test.each([
  ['', 'Which command?'],
  ['drop-owner --email ada@example.com', 'There is no command drop-owner.'],
  ['create-owner set-tier --email ada@example.com --tier pro', 'create-owner takes options alone.'],
  ['create-owner ada@example.com', 'create-owner takes options alone.'],
  ['create-owner', '--email'],
  ['create-owner --email', '--email'],
  ['create-owner --email ada', '--email must be an e-mail address'],
  ['create-owner --email ada@example.com --tier gold', '--tier must be free, pro or enterprise'],
  ['create-owner --email ada@example.com --tier', '--tier'],
  ['set-tier --email ada@example.com', '--tier must be free, pro or enterprise'],
  ['set-tier --tier pro', '--email'],
  ['set-password', '--email'],
  ['set-password --email ada@example.com --tier pro', '--tier does not belong'],
  ['set-password --email ada@example.com --password hunter2', '--password'],
  ['set-password --email ada@example.com hunter2', 'set-password takes options alone.'],
  ['create-owner --email ada@example.com --admin', '--admin'],
  ['create-owner -e ada@example.com', '-e'],
  ['reset-password', '--email'],
  ['disable-totp --email ada@example.com --key key_1', '--key does not belong to disable-totp'],
  ['backup', '--to must be a folder'],
  ['backup --to 1 --email ada@example.com', '--email does not belong to backup'],
  ['backup --to 1 --from 2', '--from does not belong to backup'],
  ['restore', '--from must be the folder'],
  ['restore --from 1 --with-master-key', '--with-master-key does not belong to restore'],
  ['create-owner --email ada@example.com --to 1', '--to does not belong to create-owner'],
  ['revoke-key --email ada@example.com', '--key must be'],
  ['prune --before yesterday', '--before must be a date'],
  ['prune --keep-deployments 0', '--keep-deployments must be'],
  ['recount --email ada@example.com', '--email does not belong to recount'],
  ['constructor --email ada@example.com', 'There is no command constructor.'],
])('“%s” is refused with what is wrong, and with the usage', (line, problem) => {
  const parsed = parseAdminCommand(line.split(' ').filter((word) => word !== ''))
  expect(parsed).toMatchObject({ ok: false, problem: expect.stringContaining(problem) })
  expect(parsed).toMatchObject({
    problem: expect.stringMatching(/Usage:\n.*create-owner --email.*\n.*set-tier --email.*\n.*set-password --email/),
  })
})

test('an address of more than 254 characters is refused', () => {
  expect(parseAdminCommand(['create-owner', '--email', `${'a'.repeat(250)}@example.com`]).ok).toBe(false)
})
