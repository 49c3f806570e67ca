// What a token may do, as a list that people can read: its role, its custom roles or its statements.
import { Badge } from '../../ui/status.tsx';
import type { PolicyStatement } from './token-model.ts';
import { FORM, PANEL, POLICY } from './tokens-words.ts';

function StatementList({ statements }: { statements: readonly PolicyStatement[] }) {
  return (
    <ul className="stack stack--8 t13">
      {statements.map((statement, index) => (
        // Statements have no names, and are never sorted.
        <li key={index} className="tok__st">
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

export interface TokenPower {
  isService: boolean;
  role?: string | undefined;
  customRoles?: readonly string[] | undefined;
  statements?: readonly PolicyStatement[] | undefined;
}

export function TokenPowerView({ isService, role, customRoles = [], statements = [] }: TokenPower) {
  return (
    <div className="stack stack--8">
      {role !== undefined && <RoleText role={role} isService={isService} />}
      {customRoles.length > 0 && (
        <>
          <p className="t13">{PANEL.customRoles}</p>
          <div className="row row--wrap row--4">
            {customRoles.map((name) => (
              <code key={name} className="key">
                {name}
              </code>
            ))}
          </div>
        </>
      )}
      {statements.length > 0 && <StatementList statements={statements} />}
      {!isService && <p className="t12 muted">{PANEL.narrowed}</p>}
    </div>
  );
}

/** Name and explanation of a base role on a token. */
export function roleWords(role: string, isService: boolean): readonly [name: string, text: string] {
  if (role === 'owner' && !isService) return FORM.ownerPersonal;
  return Object.hasOwn(FORM.roles, role) ? FORM.roles[role as keyof typeof FORM.roles] : [role, ''];
}

function RoleText({ role, isService }: { role: string; isService: boolean }) {
  const [name, text] = roleWords(role, isService);
  return (
    <p className="t13">
      <b className="w5">{name}.</b> {text}
    </p>
  );
}
