// Labels, assignees and milestone of an issue that is not created yet.
import { Button } from '../../ui/button.tsx';
import { PickList, toggledIn } from '../pick-list.tsx';
import type { useLabels, useMilestones, usePeople } from './issue-queries.ts';
import { People, SidePart } from './issue-side.tsx';
import { ISSUE, ISSUES } from './issue-words.ts';
import { LabelTag } from './label-tag.tsx';

interface Plan {
  labels: string[];
  assignees: string[];
  /** 0 for none. */
  milestone: number;
}

export interface PlanFieldsProps {
  value: Plan;
  change: (patch: Partial<Plan>) => void;
  labels: ReturnType<typeof useLabels>;
  people: ReturnType<typeof usePeople>;
  milestones: ReturnType<typeof useMilestones>;
}

export function PlanFields({ value, change, labels, people, milestones }: PlanFieldsProps) {
  const chosen = labels.rows?.filter(({ name }) => value.labels.includes(name)) ?? [];
  const milestone = milestones.rows?.find(({ number }) => number === value.milestone);
  const button = (what: string) => <Button tone="ghost" size="xs" icon="pen" label={ISSUES.change(what)} />;
  return (
    <aside className="issue-side" aria-label={ISSUE.about}>
      <SidePart
        title={ISSUES.editLabels}
        action={
          <PickList
            label={ISSUES.editLabels}
            trigger={button(ISSUES.editLabels)}
            options={labels.rows?.map(({ name, color, description }) => ({
              id: name,
              label: name,
              color,
              detail: description ?? undefined,
            }))}
            chosen={value.labels}
            onToggle={(name) => change({ labels: toggledIn(value.labels, name) })}
            hasMore={labels.hasMore}
            readMore={labels.readMore}
          />
        }
      >
        <div className="labs">
          {chosen.length === 0 ? (
            <p className="muted t13">{ISSUES.noLabels}</p>
          ) : (
            chosen.map((label) => <LabelTag key={label.id} label={label} />)
          )}
        </div>
      </SidePart>
      <SidePart
        title={ISSUES.editAssignees}
        action={
          <PickList
            label={ISSUES.editAssignees}
            trigger={button(ISSUES.editAssignees)}
            options={people.rows?.map(({ login }) => ({ id: login, label: login }))}
            chosen={value.assignees}
            onToggle={(login) => change({ assignees: toggledIn(value.assignees, login) })}
            hasMore={people.hasMore}
            readMore={people.readMore}
          />
        }
      >
        {value.assignees.length === 0 ? (
          <p className="muted t13">{ISSUES.noAssignees}</p>
        ) : (
          <People logins={value.assignees} />
        )}
      </SidePart>
      <SidePart
        title={ISSUES.editMilestone}
        action={
          <PickList
            label={ISSUES.editMilestone}
            trigger={button(ISSUES.editMilestone)}
            isSingle
            options={milestones.rows?.map(({ number, title }) => ({ id: String(number), label: title }))}
            chosen={value.milestone === 0 ? [] : [String(value.milestone)]}
            onToggle={(id) => change({ milestone: Number(id) === value.milestone ? 0 : Number(id) })}
            hasMore={milestones.hasMore}
            readMore={milestones.readMore}
          />
        }
      >
        <p className={milestone === undefined ? 'muted t13' : 't13'}>
          {milestone?.title ?? ISSUES.noMilestone}
        </p>
      </SidePart>
    </aside>
  );
}
