import { LEGACY, MODERN } from './mcp.ts'

/** What the suite asks for and the service does not have, by reason: whole scenarios, or single checks behind a colon. */
type Exceptions = Readonly<Record<string, readonly string[]>>

const BOTH: Exceptions = {
  'A deployment has tools, and one page that shows what they give: no prompts, no other resources, no completion.': [
    'completion-complete',
    'prompts-get-embedded-resource',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-with-image',
    'prompts-list',
    'resources-read-binary',
    'resources-read-text',
    'resources-templates-read',
  ],
  'An output is JSON: it has no images, audio or embedded resources.': [
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-image',
    'tools-call-mixed-content',
  ],
  'A call is answered in one piece, without notifications of progress.': ['tools-call-with-progress'],
}

const EXCEPTIONS: Readonly<Record<string, Exceptions>> = {
  [MODERN]: {
    ...BOTH,
    'Prompts are asked for here, too.': [
      'caching:sep-2549-prompts-list-caching-hints',
      'input-required-result-non-tool-request',
    ],
    'The one question is whether a person approves, by a key and in a form of its own.': [
      'input-required-result-basic-elicitation',
      'input-required-result-ignore-extra-params',
      'input-required-result-multi-round',
      'input-required-result-multiple-input-requests',
      'input-required-result-request-state:sep-2322-request-state-complete',
    ],
    'The service asks clients for no text of their models and no roots.': [
      'input-required-result-basic-list-roots',
      'input-required-result-basic-sampling',
      'input-required-result-capability-check',
    ],
    'Where nobody can be asked, a result says so: no call needs a capability of its client.': [
      'server-stateless:sep-2575-missing-capability-http-400',
      'server-stateless:sep-2575-server-rejects-undeclared-capability',
    ],
    'Published schemas ask for no headers that repeat single inputs.': ['http-custom-header-server-validation'],
    'The extension for tasks is not served.': [
      'tasks-capability-negotiation',
      'tasks-dispatch-and-envelope',
      'tasks-lifecycle',
      'tasks-mrtr-composition',
      'tasks-mrtr-input',
      'tasks-request-headers',
      'tasks-request-state-removal',
      'tasks-required-task-error',
      'tasks-wire-fields',
    ],
  },
  [LEGACY]: {
    ...BOTH,
    'There are no subscriptions, and the service writes its log for its operator.': [
      'logging-set-level',
      'resources-subscribe',
      'resources-unsubscribe',
      'tools-call-with-logging',
    ],
    'A server without sessions and streams cannot ask its client.': [
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
      'server-sse-multiple-streams',
      'server-sse-polling',
      'tools-call-elicitation',
      'tools-call-sampling',
    ],
  },
}

/** Whole scenarios and single checks that fail at a revision, each for a reason. */
export function expectedFailures(revision: string): string[] {
  return Object.values(EXCEPTIONS[revision] ?? {})
    .flat()
    .toSorted()
}
