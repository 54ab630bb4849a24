// The views of the console, and the scope that each needs, or scopes of which one is enough. The first is where the page begins.
import { may } from "./session.js";

const views = [
  { name: "start", label: "start", key: "h", icon: "M4 11l8-7 8 7v9h-5v-6H9v6H4z", scope: ["read", "preview"], load: () => import("../views/start.js") },
  { name: "templates", label: "templates", key: "t", icon: "M4 5h16v10H8l-4 4z", scope: "preview", load: () => import("../views/templates.js") },
  { name: "matrix", label: "matrix", key: "m", icon: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z", scope: "preview", load: () => import("../views/matrix.js") },
  { name: "findings", label: "findings", key: "f", icon: "M12 4l9 16H3zM12 10v5M12 17.500v.5", scope: "preview", load: () => import("../views/findings.js") },
  { name: "catalog", label: "catalog", key: "c", icon: "M5 4h14v16H5zM9 8h6M9 12h6M9 16h3", scope: "preview", load: () => import("../views/catalog.js") },
  { name: "translations", label: "translations", key: "l", icon: "M4 6h9M8 4v2M11 6c-1 4-4 7-7 8M6 9c1 2 3 4 6 5M13 20l4-10 4 10M14.500 17h5", scope: "preview", load: () => import("../views/translations.js") },
  { name: "send", label: "send", key: "s", icon: "M3 11l18-7-7 18-3-8z", scope: "send", load: () => import("../views/send.js") },
  { name: "inbox", label: "inbox", key: "i", icon: "M3 13l3-8h12l3 8v6H3zM3 13h5l1.500 3h5l1.500-3h5", scope: "emulator", load: () => import("../views/inbox.js") },
  { name: "deliveries", label: "deliveries", key: "d", icon: "M4 6h16M4 12h16M4 18h10", scope: "read", load: () => import("../views/deliveries.js") },
  { name: "messages", label: "messages", key: "e", icon: "M4 5h16v14H4zM4 7l8 6 8-6", scope: "read", load: () => import("../views/messages.js") },
  { name: "queue", label: "queue", key: "q", icon: "M4 19V9M10 19V5M16 19v-7M21 19H3", scope: "read", load: () => import("../views/queue.js") },
];

/// The views that the key's scopes allow.
export function viewsAllowed() {
  return views.filter(({ scope }) => [scope].flat().some(may));
}
