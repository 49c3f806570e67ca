// What a token may do, as a list that people can read: its role, its custom roles or its statements.
import type { PolicyStatement } from '../policy/policy.ts';
import { StatementList } from '../policy/statement-list.tsx';
import { FORM, PANEL } from './tokens-words.ts';

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
