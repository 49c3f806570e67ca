// Beside the conversation of an issue or a pull request: its labels, who is assigned, its milestone. Those who may change them at once.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { PickList, toggledIn, useAsked } from '../pick-list.tsx';
import { repositoryHref, type RepositoryPlace } from '../place.ts';
import type { Issue } from './issue.ts';
import { useEditIssue, useLabels, useMilestones, usePeople } from './issue-queries.ts';
import { ISSUE, ISSUES } from './issue-words.ts';
import { LabelTag } from './label-tag.tsx';
import type { Rights } from './rights.ts';

type Planned = Pick<Issue, 'number' | 'labels' | 'assignees' | 'milestone'>;

export interface IssueSideProps {
  place: RepositoryPlace;
  issue: Planned;
  rights: Rights;
  /** The word of the list that labels lead to. */
  list: 'issues' | 'pulls';
  children?: ReactNode;
}

export function IssueSide({ place, issue, rights, list, children }: IssueSideProps) {
  const edit = useEditIssue(place, issue.number);
  const props = { place, issue, rights, list, edit };
  return (
    <aside className="issue-side" aria-label={ISSUE.about}>
      <ChangeError error={edit.error} />
      {children}
      <LabelsPart {...props} />
      <AssigneesPart {...props} />
      <MilestonePart {...props} />
    </aside>
  );
}

export interface SidePartProps {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}

export function SidePart({ title, action, children }: SidePartProps) {
  return (
    <section className="issue-side__p" aria-label={title}>
      <div className="row">
        <h2 className="t13 w5 grow">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}

type PartProps = Omit<IssueSideProps, 'children'> & { edit: ReturnType<typeof useEditIssue> };

function changeButton(what: string, ask: ReturnType<typeof useAsked>['ask']) {
  return <Button tone="ghost" size="xs" icon="pen" label={ISSUES.change(what)} {...ask} />;
}

function LabelsPart({ place, issue, rights, list, edit }: PartProps) {
  const { isAsked, ask } = useAsked();
  const { rows, hasMore, readMore } = useLabels(place, isAsked);
  const names = issue.labels.map(({ name }) => name);
  return (
    <SidePart
      title={ISSUES.editLabels}
      action={
        rights.mayTriage && (
          <PickList
            label={ISSUES.editLabels}
            trigger={changeButton(ISSUES.editLabels, ask)}
            options={rows?.map(({ name, color, description }) => ({
              id: name,
              label: name,
              color,
              detail: description ?? undefined,
            }))}
            chosen={names}
            onToggle={(name) => edit.mutate({ labels: toggledIn(names, name) })}
            hasMore={hasMore}
            readMore={readMore}
          />
        )
      }
    >
      {issue.labels.length === 0 ? (
        <p className="muted t13">{ISSUES.noLabels}</p>
      ) : (
        <ul className="labs">
          {issue.labels.map((label) => (
            <li key={label.id}>
              <Link href={`${repositoryHref(place)}/${list}?label=${encodeURIComponent(label.name)}`}>
                <LabelTag label={label} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </SidePart>
  );
}

function AssigneesPart({ place, issue, rights, edit }: PartProps) {
  const { isAsked, ask } = useAsked();
  const { rows, hasMore, readMore } = usePeople(place, isAsked);
  const logins = issue.assignees.map(({ login }) => login);
  const { login: own } = rights;
  return (
    <SidePart
      title={ISSUES.editAssignees}
      action={
        rights.mayTriage && (
          <PickList
            label={ISSUES.editAssignees}
            trigger={changeButton(ISSUES.editAssignees, ask)}
            options={rows?.map(({ login }) => ({ id: login, label: login }))}
            chosen={logins}
            onToggle={(login) => edit.mutate({ assignees: toggledIn(logins, login) })}
            hasMore={hasMore}
            readMore={readMore}
          />
        )
      }
    >
      {logins.length > 0 ? (
        <People logins={logins} />
      ) : (
        <p className="muted t13 row row--4">
          {ISSUES.noAssignees}
          {rights.mayTriage && own !== undefined && (
            <Button size="xs" onClick={() => edit.mutate({ assignees: [own] })}>
              {ISSUES.assignMe}
            </Button>
          )}
        </p>
      )}
    </SidePart>
  );
}

export function People({ logins }: { logins: readonly string[] }) {
  return (
    <ul className="stack stack--4">
      {logins.map((login) => (
        <li key={login} className="row row--4 t13">
          <Avatar name={login} size={20} isDecorative />
          <span className="cut">{login}</span>
        </li>
      ))}
    </ul>
  );
}

function MilestonePart({ place, issue, rights, list, edit }: PartProps) {
  const { isAsked, ask } = useAsked();
  const { rows, hasMore, readMore } = useMilestones(place, 'open', isAsked);
  const { milestone } = issue;
  const chosen = milestone === null ? undefined : String(milestone.number);
  return (
    <SidePart
      title={ISSUES.editMilestone}
      action={
        rights.mayTriage && (
          <PickList
            label={ISSUES.editMilestone}
            trigger={changeButton(ISSUES.editMilestone, ask)}
            isSingle
            options={rows?.map(({ number, title }) => ({ id: String(number), label: title }))}
            chosen={chosen === undefined ? [] : [chosen]}
            onToggle={(id) => edit.mutate({ milestone: id === chosen ? null : Number(id) })}
            hasMore={hasMore}
            readMore={readMore}
          />
        )
      }
    >
      {milestone === null ? (
        <p className="muted t13">{ISSUES.noMilestone}</p>
      ) : (
        <Link className="ln t13" href={`${repositoryHref(place)}/${list}?milestone=${milestone.number}`}>
          {milestone.title}
        </Link>
      )}
    </SidePart>
  );
}
