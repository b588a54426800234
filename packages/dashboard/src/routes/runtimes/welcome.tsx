import { Globe, MessageCircle, Rocket, Server } from 'lucide-react'
import type { ReactNode } from 'react'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
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

/** The first screen of a new account: what lies between here and the first answered question. */
export function Welcome(): ReactNode {
  return (
    <Page title="Welcome" description="Four steps to a chat on your page. The first answer takes about five minutes.">
      <ol className="grid gap-4 md:grid-cols-2 xl:grid-cols-4">
        {STEPS.map(({ icon: Icon, title, text }, index) => (
          <li key={title} className="rounded-lg border border-line bg-surface p-5">
            <div className="flex items-center gap-3">
              <span className="grid size-9 place-items-center rounded-full bg-accent-soft text-accent">
                <Icon aria-hidden="true" className="size-4.5" />
              </span>
              <h2 className="font-semibold">
                {index + 1}. {title}
              </h2>
            </div>
            <p className="mt-3 text-sm text-muted">{text}</p>
          </li>
        ))}
      </ol>
      <Card>
        <div className="flex flex-wrap items-center justify-between gap-4">
          <p className="max-w-3xl text-sm text-muted">
            Your code, data and users stay on your side. A runtime is a name, two keys and a signing secret.
          </p>
          <LinkButton kind="primary" to="/runtimes/new">
            Create your first runtime
          </LinkButton>
        </div>
      </Card>
    </Page>
  )
}
