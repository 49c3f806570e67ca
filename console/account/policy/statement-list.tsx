// Statements as a list that people can read.
import '../../styles/policy.css';
import { Badge } from '../../ui/status.tsx';
import type { PolicyStatement } from './policy.ts';
import { POLICY } from './policy-words.ts';

export function StatementList({ statements }: { statements: readonly PolicyStatement[] }) {
  return (
    <ul className="stack stack--8 t13">
      {statements.map((statement, index) => (
        // Statements have no names, and are never sorted.
        <li key={index} className="pol__st">
          <Badge tone={statement.effect === 'allow' ? 'ok' : 'bad'}>
            {statement.effect === 'allow' ? POLICY.allow : POLICY.deny}
          </Badge>
          <span>
            <Names list={statement.actions} others={statement.notActions} /> {POLICY.on}{' '}
            <Names list={statement.resources} others={statement.notResources} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Names({ list, others }: { list: string[] | undefined; others: string[] | undefined }) {
  const names = list ?? others ?? [];
  if (names.length === 1 && names[0] === '*' && list !== undefined) return <>{POLICY.all}</>;
  return (
    <>
      {list === undefined && `${POLICY.except} `}
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <code>{name}</code>
        </span>
      ))}
    </>
  );
}
