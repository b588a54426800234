/** Every text of the element. `{…}` stands for what is put in. */
export const STRINGS = {
  heading: 'Chat',
  greeting: '',
  welcome: 'How can {name} help you?',
  placeholder: 'Ask a question',
  question: 'Your question',
  conversation: 'Conversation',
  suggestions: 'Questions to start with',
  send: 'Send',
  stop: 'Stop the answer',
  clear: 'New conversation',
  open: 'Open the chat',
  openNews: 'Open the chat: there is a new answer',
  close: 'Close the chat',
  thinking: 'Thinking …',
  running: '{name} …',
  done: '{name}',
  broken: '{name}: did not work',
  unknown: '{name}: no answer',
  shortened: 'Shortened: there was more than can be shown.',
  cut: 'The assistant stopped here, after as many steps as it may take.',
  newTab: '(opens in a new tab)',
  waiting: 'Waiting for {name} …',
  settled: 'Done: {name}',
  expired: 'No news of {name} so far.',
  refused_wait: '{name} cannot be checked.',
  cancelled: 'Not waiting for {name} any more.',
  checkAgain: 'Check again',
  cancelWait: 'Stop waiting',
  approval: 'Your approval is needed',
  approve: 'Approve',
  decline: 'Decline',
  approval_lost: 'Nobody can say yet whether it was done. Check your connection and try again.',
  approval_deciding: 'One moment …',
  approval_approved: 'Approved. It was done.',
  approval_failed: 'You approved this, but it did not work.',
  approval_unknown: 'You approved this. Nobody can say yet whether it was done: please check before you ask again.',
  approval_declined: 'Declined. Nothing was done.',
  approval_expired: 'Nobody approved this in time. Nothing was done.',
  approval_refused: 'This cannot be decided here any more.',
  approval_elsewhere: 'This can be decided only in the tab that asked for it.',
  signIn: 'Sign in',
  signInAsked: 'This goes on here once you are signed in.',
  mayRepeat: 'The answer broke off after calling {name}. Trying again may do it once more.',
  retry: 'Try again',
  reference: 'Reference',
  demo: 'Demo model',
  demoTitle: 'Answers come from rules, without language understanding.',
  good: 'Good answer',
  bad: 'Bad answer',
  copyAnswer: 'Copy the answer',
  save: 'Save the conversation as a text file',
  savedName: 'conversation.txt',
  you: 'You',
  dismiss: 'Hide the greeting',
  copy: 'Copy',
  copied: 'Copied',
  stopped: 'You stopped the answer.',
  no_token: 'The page could not say who is signed in.',
  unreachable: 'The assistant cannot be reached just now. Check your connection and try again.',
  interrupted: 'The connection was lost before the answer was complete.',
  rate_limited: 'That was a lot at once. Please wait a moment and try again.',
  rate_limited_until: 'That was a lot at once. Please try again {when}.',
  failed: 'The assistant could not finish this answer.',
  refused: 'The assistant could not take this question.',
  misconfigured: 'The assistant is not set up for this page.',
}

export type Strings = typeof STRINGS

export function fill(template: string, name: string): string {
  return template.replace(/\{\w+\}/, () => name)
}

/** `order-status` as people say it. */
export function spoken(capability: string): string {
  return capability.replaceAll('-', ' ')
}

/** How long until then, “in 12 seconds”, in the language of the page. */
export function timeUntil(at: number, nowMs: number, language: string | undefined): string {
  const seconds = Math.max(1, Math.ceil((at - nowMs) / 1000))
  const [value, unit]: [number, Intl.RelativeTimeFormatUnit] =
    seconds <= 90
      ? [seconds, 'second']
      : seconds <= 5400
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.ceil(seconds / 3600), 'hour']
  try {
    return new Intl.RelativeTimeFormat(language).format(value, unit)
  } catch {
    return new Intl.RelativeTimeFormat('en').format(value, unit)
  }
}
