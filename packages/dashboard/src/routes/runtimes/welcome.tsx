import { Globe, MessageCircle, Rocket, Server } from 'lucide-react'
import type { ReactNode } from 'react'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Page } from '../../ui/page.tsx'

const STEPS = [
  {
    icon: Server,
    title: 'Create a runtime',
    text: 'Give it a name and, if you know it, the address of your endpoint.',
  },
  {
    icon: Rocket,
    title: 'Deploy',
    text: 'A few commands create a project and publish its capabilities. The page updates by itself.',
  },
  { icon: MessageCircle, title: 'Ask', text: 'Ask a question here, and see each step of the answer.' },
  { icon: Globe, title: 'Put it on your page', text: 'Two lines of HTML give your visitors the same chat.' },
]

const SAMPLE = `export const shippingCost = defineCapability({
  name: 'shipping-cost',
  version: '1.0.0',
  description: 'Tells what shipping a parcel to a country costs, in euros.',
  effect: 'read',
  input: z.object({ country: z.enum(['norway', 'sweden', 'denmark']) }),
  handler: ({ country }) => ({ country, euros: EUROS[country] }),
})`

/** The first screen of a new account: what lies between here and the first answered question. */
export function Welcome(): ReactNode {
  return (
    <Page
      title="Welcome"
      description="Four steps to a chat on your page. The first answer takes about five minutes."
      actions={
        <LinkButton kind="primary" to="/runtimes/new">
          Create your first runtime
        </LinkButton>
      }
    >
      <ol className="grid gap-4 md:grid-cols-2 xl:grid-cols-4">
        {STEPS.map(({ icon: Icon, title, text }, index) => (
          <li key={title} className="rounded-lg border border-line bg-surface p-5">
            <div className="flex flex-col gap-3">
              <span className="grid size-9 place-items-center rounded-full bg-accent-soft text-accent">
                <Icon aria-hidden="true" className="size-4.5" />
              </span>
              <h2 className="font-semibold">
                {index + 1}. {title}
              </h2>
            </div>
            <p className="mt-1 text-sm text-muted">{text}</p>
          </li>
        ))}
      </ol>
      <Card
        title="What you write"
        description="A function on your own server. Your code, data and users stay with you; each call of it is shown here."
      >
        <CodeBlock text={SAMPLE} label="the sample" />
      </Card>
    </Page>
  )
}
