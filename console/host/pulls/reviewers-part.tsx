// Who has reviewed a pull request, and who is asked to.
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Status, type StatusTone } from '../../ui/status.tsx';
import { loginOf } from '../issues/issue.ts';
import { usePeople } from '../issues/issue-queries.ts';
import { SidePart } from '../issues/issue-side.tsx';
import { ISSUES } from '../issues/issue-words.ts';
import { PickList, useAsked } from '../pick-list.tsx';
import type { PullTabProps } from './files-tab.tsx';
import { verdictsOf, type ReviewState } from './pull.ts';
import { useReviewers, useReviews } from './pull-queries.ts';
import { PULL } from './pull-words.ts';

const TONES: Readonly<Record<ReviewState, StatusTone>> = {
  APPROVED: 'ok',
  CHANGES_REQUESTED: 'bad',
  COMMENTED: 'neutral',
  DISMISSED: 'neutral',
  PENDING: 'run',
};

export function ReviewersPart({ place, pull, rights }: PullTabProps) {
  const { rows: reviews } = useReviews(place);
  const mayAsk = (rights.mayTriage || rights.isAuthor) && pull.state === 'open';
  const { isAsked, ask } = useAsked();
  const { rows: people, hasMore, readMore } = usePeople(place, isAsked);
  const change = useReviewers(place);
  const asked = pull.requested_reviewers.map(({ login }) => login);
  const author = pull.user?.login;
  // What the author says about the own work is no review.
  const verdicts = verdictsOf(reviews ?? []).filter(({ user }) => user?.login !== author);
  return (
    <SidePart
      title={PULL.reviewers}
      action={
        mayAsk && (
          <PickList
            label={PULL.reviewers}
            trigger={
              <Button tone="ghost" size="xs" icon="pen" label={ISSUES.change(PULL.reviewers)} {...ask} />
            }
            options={people
              ?.filter(({ login }) => login !== author)
              .map(({ login }) => ({ id: login, label: login }))}
            chosen={asked}
            onToggle={(login) => change.mutate({ login, isAsked: asked.includes(login) })}
            hasMore={hasMore}
            readMore={readMore}
          />
        )
      }
    >
      <ChangeError error={change.error} />
      {verdicts.length + asked.length + pull.requested_teams.length === 0 ? (
        <p className="muted t13">{PULL.noReviewers}</p>
      ) : (
        <ul className="stack stack--4">
          {verdicts
            .filter(({ user }) => !asked.includes(loginOf(user)))
            .map(({ id, user, state }) => (
              <Reviewer key={id} name={loginOf(user)} tone={TONES[state]} words={PULL.reviewStates[state]} />
            ))}
          {[...asked, ...pull.requested_teams.map(({ name }) => name)].map((name) => (
            <Reviewer key={name} name={name} tone="run" words={PULL.asked} />
          ))}
        </ul>
      )}
    </SidePart>
  );
}

function Reviewer({ name, tone, words }: { name: string; tone: StatusTone; words: string }) {
  return (
    <li className="row row--4 t13">
      <Avatar name={name} size={20} isDecorative />
      <span className="cut grow">{name}</span>
      <Status tone={tone}>{words}</Status>
    </li>
  );
}
