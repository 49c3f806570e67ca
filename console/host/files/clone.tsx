// The commands that clone a repository, and those that push to an empty one.
import { useMe } from '../../app/me.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Popover } from '../../ui/popover.tsx';
import type { Repository } from '../repository.ts';
import { FILES_WORDS } from './files-words.ts';

type ClonedRepository = Pick<Repository, 'clone_url' | 'ssh_url'>;

/** A server without SSH says the same address twice. */
function addressesOf({ clone_url: url, ssh_url: ssh }: ClonedRepository): string[] {
  return [...new Set([url, ssh ?? url])];
}

export function CloneButton({ repository }: { repository: ClonedRepository }) {
  return (
    <Popover
      label={FILES_WORDS.clone}
      alignment="end"
      trigger={
        <Button tone="primary" icon="dl" hasCaret>
          {FILES_WORDS.clone}
        </Button>
      }
    >
      <div className="stack stack--8 clone">
        {addressesOf(repository).map((address) => (
          <CodeBlock key={address} text={`git clone ${address}`} copyLabel={FILES_WORDS.copyClone} />
        ))}
      </div>
    </Popover>
  );
}

/** Filled in, so that they can be pasted as they are. */
export function PushCommands({ repository }: { repository: Repository }) {
  const { clone_url: url, default_branch: branch, name } = repository;
  const { data: me } = useMe();
  const { empty } = FILES_WORDS;
  const start = [
    `git clone ${url}`,
    `cd ${name}`,
    `echo "# ${name}" > README.md`,
    'git add README.md',
    'git commit -m "First commit"',
    `git push -u origin HEAD:${branch}`,
  ];
  const push = [`git remote add origin ${url}`, `git push -u origin HEAD:${branch}`];
  return (
    <div className="stack stack--16">
      <Card title={empty.newTitle}>
        <CodeBlock text={start.join('\n')} />
      </Card>
      <Card title={empty.oldTitle}>
        <CodeBlock text={push.join('\n')} />
      </Card>
      <p className="muted t13">
        {empty.token} {me !== undefined && <code className="key">{me.username}</code>}
      </p>
    </div>
  );
}
