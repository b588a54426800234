/** The chapters of the document: they tell a reader what a call needs. */
export const TAGS = {
  open: { name: 'Open', description: 'Capabilities that anybody may call, without a credential.' },
  forEndUsers: {
    name: 'For end users',
    description: 'Capabilities that are called on behalf of somebody whom the service itself knows, by `endUserToken`.',
  },
} as const
