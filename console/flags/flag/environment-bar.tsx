// The environments of a flag, to choose the one that the page is about. Of many, words find one.
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { FilterInput } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import { EnvironmentDot } from '../environment-name.tsx';
import type { Environment } from '../queries.ts';
import { FLAG_WORDS as WORDS } from './flag-words.ts';

/** More do not fit beside each other. */
const FEW = 5;
const MAX_FOUND = 50;

export interface EnvironmentBarProps {
  environments: readonly Environment[];
  current: Environment;
  hrefOf: (key: string) => string;
}

export function EnvironmentBar({ environments, current, hrefOf }: EnvironmentBarProps) {
  if (environments.length <= FEW)
    return (
      <nav className="seg env-bar" aria-label={WORDS.environments}>
        {environments.map((one) => (
          <EnvironmentLink key={one.key} environment={one} current={current} href={hrefOf(one.key)} />
        ))}
      </nav>
    );
  return (
    <Popover
      label={WORDS.environments}
      alignment="end"
      trigger={
        <Button hasCaret>
          <Name environment={current} />
        </Button>
      }
    >
      {(close) => <Search environments={environments} current={current} hrefOf={hrefOf} onChosen={close} />}
    </Popover>
  );
}

function Search({ environments, current, hrefOf, onChosen }: EnvironmentBarProps & { onChosen: () => void }) {
  const [typed, setTyped] = useState('');
  const words = typed.trim().toLowerCase();
  const found = environments.filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(words));
  return (
    <div className="stack stack--8">
      <FilterInput value={typed} onChange={setTyped} label={WORDS.findEnvironment} hasSlashKey={false} />
      <nav className="env-list" aria-label={WORDS.environments}>
        {found.slice(0, MAX_FOUND).map((one) => (
          <EnvironmentLink
            key={one.key}
            environment={one}
            current={current}
            href={hrefOf(one.key)}
            onClick={onChosen}
          />
        ))}
      </nav>
      {found.length === 0 && <p className="t13 muted">{WORDS.noEnvironment}</p>}
    </div>
  );
}

interface EnvironmentLinkProps {
  environment: Environment;
  current: Environment;
  href: string;
  onClick?: () => void;
}

function EnvironmentLink({ environment, current, href, onClick }: EnvironmentLinkProps) {
  const isCurrent = environment.key === current.key;
  return (
    <Link
      href={href}
      replace
      className={classNames(environment.critical && 'prod')}
      aria-current={isCurrent ? 'true' : undefined}
      {...(onClick && { onClick })}
    >
      <Name environment={environment} />
    </Link>
  );
}

function Name({ environment: { key, color, critical } }: { environment: Environment }) {
  return (
    <>
      <EnvironmentDot color={color} />
      {key}
      {critical && <Icon name="shield" size={12} />}
    </>
  );
}
