import {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalRequiredEvent,
  buildDiscoveryManifest,
  CapabilityAnswer,
  CapabilityCall,
  DeploymentManifest,
  fieldErrorsOf,
  Preview,
  ReconcileAnswer,
  Reconciled,
  timeOfId,
} from '@svc/contract'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'

const refund = { name: 'refund', version: '1.0.0' }
const manifest = (capability: object = {}, fields: object = {}) => ({
  schemaVersion: 2,
  capabilities: [{ ...refund, ...capability }],
  ...fields,
})

function faultsOf(schema: z.ZodType, value: unknown) {
  const parsed = schema.safeParse(value)
  return parsed.success ? {} : fieldErrorsOf(parsed.error)
}

describe('a manifest', () => {
  test('may declare effect, confirm, preview and reconcile', () => {
    const declared = manifest({ effect: 'destructive', confirm: true, preview: true }, { reconcile: true })
    expect(DeploymentManifest.parse(declared)).toMatchObject(declared)
    expect(faultsOf(DeploymentManifest, manifest({ effect: 'delete' }))).toHaveProperty('capabilities.0.effect')
    expect(faultsOf(DeploymentManifest, manifest({ confirm: 'yes' }))).toHaveProperty('capabilities.0.confirm')
    expect(faultsOf(DeploymentManifest, manifest({}, { reconcile: 1 }))).toHaveProperty('reconcile')
  })

  test('that declares none of them is read as before, to the field', () => {
    expect(JSON.stringify(DeploymentManifest.parse(manifest()))).not.toMatch(/effect|confirm|preview|reconcile/)
  })

  test('publishes nothing that asks for approval', () => {
    const capabilities = [
      { ...refund, confirm: true },
      { ...refund, name: 'list', effect: 'read' as const },
    ]
    const source = DeploymentManifest.parse({ schemaVersion: 2, capabilities, adp: { namespace: 'com.example.shop' } })
    const built = buildDiscoveryManifest({
      manifest: source,
      runtimeId: 'rt_a',
      runtimeName: 'A',
      baseUrl: 'https://a',
    })
    expect(built.ok && built.document.capabilities.map(({ invocationName }) => invocationName)).toEqual(['list'])
  })
})

describe('a call', () => {
  const call = { executionId: 'exec_1', callId: 'call_1', capability: 'refund', input: {}, metadata: {} }

  test('without a mode is read as before', () => {
    expect(CapabilityCall.parse(call)).toEqual(call)
  })

  test('may have a mode, an approval and the hash of its preview', () => {
    const approved = { ...call, approvalId: 'apr_1', previewHash: 'a'.repeat(64) }
    expect(CapabilityCall.parse(approved)).toEqual(approved)
    expect(CapabilityCall.parse({ ...call, mode: 'preview' })).toEqual({ ...call, mode: 'preview' })
    for (const wrong of [{ mode: 'undo' }, { approvalId: '' }, { previewHash: 'A'.repeat(64) }, { previewHash: '' }]) {
      expect(CapabilityCall.safeParse({ ...call, ...wrong }).success).toBe(false)
    }
  })

  test('may fail with a code; one that is no text is left out, as before', () => {
    const failed = (error: unknown) => CapabilityAnswer.parse({ output: null, error }).error
    expect(failed({ message: 'No.', code: 'outcome_unknown' })).toEqual({ message: 'No.', code: 'outcome_unknown' })
    expect(failed({ message: 'No.', code: 42 })).toEqual({ message: 'No.' })
    expect(failed('No.')).toBe('No.')
  })
})

describe('a preview', () => {
  test.each([
    [{}],
    [{ title: '' }],
    [{ title: ' \n' }],
    [{ title: 'a'.repeat(201) }],
    [{ title: 'a\0b' }],
    [{ title: '\ud800' }],
    [{ title: 'a', lines: 'b' }],
    [{ title: 'a', lines: Array(21).fill('b') }],
    [{ title: 'a', lines: ['b'.repeat(501)] }],
    [{ title: 'a', amount: { value: '1', currency: 'EUR' } }],
    [{ title: 'a', amount: { value: Number.NaN, currency: 'EUR' } }],
    [{ title: 'a', amount: { value: 1, currency: '€' } }],
    [{ title: 'a', confirm: 'no' }],
    [{ title: 'a', subtitle: 'b' }],
    [null],
    ['Refund'],
  ])('%j is none', (value) => {
    expect(Preview.safeParse(value).success).toBe(false)
  })

  test('of every field is one', () => {
    const whole = { title: 'Refund', lines: ['', '😀'], amount: { value: -0.5, currency: 'EUR' }, confirm: false }
    expect(Preview.parse(whole)).toEqual(whole)
  })
})

test('a reconcile is answered in one of three ways', () => {
  for (const answer of [
    { status: 'completed', output: { id: 1 } },
    { status: 'failed', message: 'Sold out.' },
    { status: 'never' },
  ]) {
    expect(ReconcileAnswer.parse(answer)).toEqual(answer)
    expect(Reconciled.safeParse({ ...answer, at: '2026-01-01T00:00:00.000Z' }).success).toBe(true)
  }
  for (const answer of [{ status: 'failed' }, { status: 'running' }, { status: 'unknown' }, null, 'never']) {
    expect(ReconcileAnswer.safeParse(answer).success).toBe(false)
  }
})

test('a decision holds decision, key and token, and nothing else', () => {
  const decision = { decision: 'approve', approvalKey: 'k' }
  expect(ApprovalDecision.parse({ ...decision, endUserToken: ' ' })).toEqual(decision)
  expect(ApprovalDecision.parse({ ...decision, endUserToken: 't' })).toEqual({ ...decision, endUserToken: 't' })
  expect(faultsOf(ApprovalDecision, { ...decision, input: {} })).toHaveProperty('input')
  expect(faultsOf(ApprovalDecision, { ...decision, decision: 'yes' })).toHaveProperty('decision')
  expect(faultsOf(ApprovalDecision, { decision: 'approve' })).toHaveProperty('approvalKey')
})

test('an approval that waits, and its answer', () => {
  const waiting = { approvalId: 'apr_01', approvalKey: 'k', callId: 'call_1', capability: 'refund' }
  const event = { ...waiting, preview: { title: 'Refund' }, expiresAt: '2026-01-01T00:15:00.000Z' }
  expect(ApprovalRequiredEvent.parse({ type: 'approval_required', ...event })).toMatchObject(event)
  const answer = { approvalId: 'apr_01', status: 'pending', executionId: 'exec_1' }
  expect(ApprovalAnswer.parse(answer)).toEqual(answer)
  const result = { type: 'tool_result', toolCallId: 'call_1', name: 'refund', output: { done: true } }
  expect(ApprovalAnswer.parse({ ...answer, status: 'approved', result })).toMatchObject({ result })
})

test.each([
  ['call_01KDVDNA000000000000000000', 1_767_225_600_000],
  ['call_00000000000000000000000000', 0],
  ['call_7ZZZZZZZZZ0000000000000000', 2 ** 48 - 1],
  ['call_8ZZZZZZZZZ0000000000000000', null],
  ['call_01kdvdk0000000000000000000', null],
  ['call_1', null],
  ['', null],
])('the id %s was minted at %s', (id, time) => {
  expect(timeOfId(id)).toBe(time)
})
