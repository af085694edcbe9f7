#version 330 core
uniform sampler2D planeY;
uniform sampler2D planeU;
uniform sampler2D planeV;
uniform mat3 toRgb;
uniform vec3 offset;
uniform float sampleScale;  // 1, or 65535 / largest sample for planes of 9 to 16 bits
uniform vec3 siting;        // chroma samples per luma sample (x, y), horizontal shift in chroma samples
uniform bool sharp;
in vec2 at;
out vec4 color;

void main() {
    vec2 size = vec2(textureSize(planeY, 0));
    // With sharp pixels a luma pixel shows one colour, so its chroma is read at its centre.
    vec2 luma = sharp ? floor(at * size) + 0.5 : at * size;
    vec2 chroma = (luma * siting.xy + vec2(siting.z, 0.0)) / vec2(textureSize(planeU, 0));
    vec3 yuv = vec3(texture(planeY, luma / size).r, texture(planeU, chroma).r, texture(planeV, chroma).r);
    color = vec4(clamp(toRgb * (yuv * sampleScale - offset), 0.0, 1.0), 1.0);
}
