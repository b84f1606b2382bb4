import { expect, it } from 'vitest';
import { createDragDepth } from './drag-depth.ts';

const targets = () => ({ root: {} as EventTarget, child: {} as EventTarget });

it('a drag is over the root until the last of its elements is left', () => {
  const { root, child } = targets();
  const inside = { contains: () => true };
  const depth = createDragDepth();
  expect(depth.enter(root, inside)).toBe(true);
  expect(depth.enter(child, inside)).toBe(true);
  expect(depth.leave(root, inside)).toBe(true);
  expect(depth.leave(child, inside)).toBe(false);
});

it('a child that was removed amid the drag is forgotten, and a drop ends all', () => {
  const { root, child } = targets();
  const depth = createDragDepth();
  depth.enter(root, { contains: () => true });
  depth.enter(child, { contains: () => true });
  expect(depth.leave(root, { contains: (node) => (node as unknown) !== child })).toBe(false);
  depth.enter(root, { contains: () => true });
  expect(depth.end()).toBe(false);
  expect(depth.leave(child, { contains: () => true })).toBe(false);
});
