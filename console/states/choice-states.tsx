import { useState } from 'react';
import { Checkbox, RadioCards, Switch } from '../ui/choice.tsx';
import { Chips } from '../ui/chips.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { nothing, Sample } from './sample.tsx';

const reason = 'Needs updateOn on production; ask an administrator.';

export function ChoiceStates() {
  const [isOn, setIsOn] = useState(true);
  const [isChecked, setIsChecked] = useState(true);
  const [view, setView] = useState('table');
  const [scope, setScope] = useState('read');
  return (
    <>
      <Sample name="Switch">
        <Switch isOn={isOn} label="Dark mode in test" onChange={setIsOn} />
        <Switch isOn={!isOn} label="Search in test" onChange={(next) => setIsOn(!next)} />
        <Switch isOn={false} label="Dark mode in production" reason={reason} onChange={nothing} />
        <Switch isOn label="Search in production" reason={reason} onChange={nothing} />
        <Switch isOn label="Search" size="lg" onChange={nothing} />
        <Switch isOn={false} label="Search" size="lg" onChange={nothing} />
      </Sample>
      <Sample name="Checkboxes" isStack>
        <Checkbox label="I have stored it in a safe place" isChecked={isChecked} onChange={setIsChecked} />
        <Checkbox label="Some of them" isChecked={false} isIndeterminate onChange={nothing} />
        <Checkbox label="With help" help="It is used for this alone." isChecked={false} onChange={nothing} />
        <Checkbox label="Not possible" isChecked={false} isDisabled onChange={nothing} />
      </Sample>
      <RadioCards
        label="What it may do"
        value={scope}
        onChange={setScope}
        options={[
          { value: 'read', label: 'Read', text: 'Sees flags, Actors and repositories.' },
          { value: 'write', label: 'Write', text: 'Changes what you may change.' },
          { value: 'admin', label: 'Everything', disabledReason: 'Only an administrator may give this.' },
        ]}
      />
      <Sample name="Segmented">
        <Segmented
          label="View"
          value={view}
          onChange={setView}
          options={[
            { value: 'table', label: 'Table', icon: 'columns' },
            { value: 'json', label: 'JSON', icon: 'code' },
          ]}
        />
        <Segmented
          label="Small view"
          size="sm"
          value={view}
          onChange={setView}
          options={[
            { value: 'table', label: 'Table' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </Sample>
      <Chips
        label="Quick filters"
        items={[
          { label: 'Mine', isOn: true, onToggle: nothing },
          { label: 'Stale', count: 7, isOn: false, onToggle: nothing },
          { label: 'Waiting', count: 2, isOn: true, onToggle: nothing },
          { label: 'Changed this week', isOn: false, onToggle: nothing },
        ]}
      />
      <Tabs
        label="Parts of the run"
        items={[
          { href: '/runs/1/log', label: 'Log', isCurrent: true },
          { href: '/runs/1/output', label: 'Output', count: 1284, isCurrent: false },
          { href: '/runs/1/input', label: 'Input', isCurrent: false },
        ]}
      />
    </>
  );
}
