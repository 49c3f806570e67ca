// Yes or no, the statements that decide, and those of which one half matches.
import '../../styles/policy.css';
import { Fragment, type ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { Status } from '../../ui/status.tsx';
import { ROLE_NAMES } from '../members/members-words.ts';
import type { MatchedStatement, PolicyAnswer } from './explain-queries.ts';
import { TESTER } from './tester-words.ts';

export interface AnswerViewProps {
  answer: PolicyAnswer;
  /** Of the policy that is edited beside it: shows the statement there. */
  onShow?: ((index: number) => void) | undefined;
}

export function AnswerView({ answer, onShow }: AnswerViewProps) {
  const { isAllowed, reason, decidedBy, action, resource } = answer;
  // Of what is inherited nobody can change a statement: those that decide are enough.
  const near = answer.near.filter(({ isInherited }) => !isInherited);
  const others = answer.others + answer.near.length - near.length;
  return (
    <div className="stack" role="status">
      <p className="row row--wrap">
        <Status tone={isAllowed ? 'ok' : 'bad'} isPill>
          {isAllowed ? TESTER.yes : TESTER.no}
        </Status>
        <span className="t13">{TESTER[reason]}</span>
      </p>
      <p className="t13 pol__q">
        <code>{action}</code> on <code>{resource}</code>
      </p>
      {decidedBy.length > 0 && (
        <section>
          <h3 className="h4">{TESTER.decides}</h3>
          <Matches list={decidedBy} onShow={onShow} />
          {reason !== 'silent' && <p className="t12 muted">{TESTER.turn[reason]}</p>}
        </section>
      )}
      {near.length > 0 && (
        <section>
          <h3 className="h4">{TESTER.near}</h3>
          <Matches list={near} onShow={onShow} />
        </section>
      )}
      {others > 0 && <p className="t12 muted">{TESTER.others(formatCount(others), others)}</p>}
    </div>
  );
}

function Matches({ list, onShow }: { list: readonly MatchedStatement[]; onShow: AnswerViewProps['onShow'] }) {
  return (
    <ul className="stack stack--4 t13 pol__matches">
      {list.map((match, index) => (
        // The answer has them in an order that it keeps.
        <li key={index}>
          <Place match={match} onShow={onShow} /> <Effect match={match} />
        </li>
      ))}
    </ul>
  );
}

function Place({ match, onShow }: { match: MatchedStatement; onShow: AnswerViewProps['onShow'] }) {
  const { index, isInherited, role, layer, team } = match;
  if (layer === 'policy' && role === undefined && !isInherited && index !== undefined && onShow !== undefined)
    return (
      <Button size="xs" onClick={() => onShow(index)}>
        {TESTER.statement(index + 1)}
      </Button>
    );
  const name = nameOf(match);
  return (
    <span className="w5">
      {role === undefined || isInherited ? (
        name
      ) : (
        <TextLink href={`/account/roles/${encodeURIComponent(role)}`}>{name}</TextLink>
      )}
      {team !== undefined && ` (${TESTER.byTeam(team)})`}
    </span>
  );
}

function nameOf({ index, isInherited, role, baseRole, layer }: MatchedStatement): string {
  if (role !== undefined) {
    if (isInherited) return TESTER.inheritedOf(role);
    return index === undefined ? TESTER.hidden(role) : TESTER.statementOf(index + 1, role);
  }
  if (layer === 'limit') return TESTER.ofLimit;
  if (isInherited) return TESTER.inherited;
  if (baseRole !== undefined) return TESTER.ofBase(ROLE_NAMES[baseRole] ?? baseRole);
  const at = (index ?? 0) + 1;
  return layer === 'token' ? TESTER.ofToken(at) : TESTER.statement(at);
}

function Effect({ match: { effect, action, resource } }: { match: MatchedStatement }): ReactNode {
  const isAllow = effect === 'allow';
  if (action.isMatch && resource.isMatch)
    return (
      <>
        {isAllow ? TESTER.allow : TESTER.deny}
        {action.by !== undefined && ` ${TESTER.with}`}
        <By names={[action.by, resource.by]} />
      </>
    );
  return (
    <>
      {isAllow ? TESTER.wouldAllow : TESTER.wouldDeny}
      <By names={[action.isMatch ? action.by : resource.by]} />,{' '}
      {action.isMatch ? TESTER.notResource : TESTER.notAction}
    </>
  );
}

/** The names in the statement that are like those in question. */
function By({ names }: { names: readonly (string | undefined)[] }) {
  const known = names.filter((name) => name !== undefined);
  if (known.length === 0) return null;
  return (
    <>
      {' '}
      {known.map((name, index) => (
        <Fragment key={index}>
          {index > 0 && ' on '}
          <code>{name}</code>
        </Fragment>
      ))}
    </>
  );
}
