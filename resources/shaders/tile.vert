#version 330 core
// A rectangle from its corner number alone: no vertex buffer is needed.
uniform vec4 target;  // x, y, width, height in clip space
uniform vec4 view;    // the part of the picture on show, in fractions of it
out vec2 at;
out vec2 place;  // in the rectangle, in fractions of it

void main() {
    place = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
    at = view.xy + place * view.zw;
    gl_Position = vec4(target.xy + place * target.zw, 0.0, 1.0);
}
