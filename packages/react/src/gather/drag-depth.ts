type Root = { contains(node: Node | null): boolean };

/** Knows whether files are dragged over a root, although every child of it reports that they enter and leave. */
export type DragDepth = {
  /** Each returns whether the drag is over the root now. */
  enter(target: EventTarget | null, root: Root): boolean;
  leave(target: EventTarget | null, root: Root): boolean;
  end(): boolean;
};

export function createDragDepth(): DragDepth {
  let entered: EventTarget[] = [];
  return {
    enter(target, root) {
      // A child that was removed amid the drag never reports that it was left.
      entered = entered.filter((each) => root.contains(each as Node));
      if (target !== null && !entered.includes(target)) entered.push(target);
      return true;
    },
    leave(target, root) {
      entered = entered.filter((each) => each !== target && root.contains(each as Node));
      return entered.length > 0;
    },
    end() {
      entered = [];
      return false;
    },
  };
}
